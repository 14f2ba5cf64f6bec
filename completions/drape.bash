# Completion of the drape command for bash.

# Those words of $1 that begin like $2.
_drape_words()
{
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$2")
}

# Directories, and files of these endings: _drape_files WORD ENDING...
_drape_files()
{
    local word=$1 ending
    shift
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word"
        for ending; do compgen -f -X "!*.$ending" -- "$word"; done)
}

# Scenes that come along, scene files, files of further endings: _drape_scenes WORD ENDING...
_drape_scenes()
{
    _drape_words "$("${COMP_WORDS[0]}" scenes --names 2>/dev/null)" "$1"
    _drape_files "$1" json "${@:2}"
}

# The value of option $1 so far is $2. Fails when $1 is no option that takes one.
_drape_value()
{
    case $1 in
    -o | --films) _drape_files "$2" ;;
    --format) _drape_words 'pc2 mdd obj ply' "$2" ;;
    --method) _drape_words 'drape slide box sensor spring predict
        slide_paper box_paper predict_paper' "$2" ;;
    --isa) _drape_words 'auto plain sse2 avx2 neon wasm' "$2" ;;
    --stats) _drape_files "$2" json jsonl ;;
    --log) _drape_words 'x y xy none' "$2" ;;
    --y) _drape_words 'ms energy stretch contacts crossings gap' "$2" ;;
    --x | --where | --title | --size) ;;
    --mesh) _drape_files "$2" obj ply ;;
    --obstacle) _drape_files "$2" obj ply pc2 mdd ;;
    --out) _drape_files "$2" ply ;;
    --rest) _drape_files "$2" obj ply ;;
    --view) _drape_words 'front side top angle' "$2" ;;
    --pattern) _drape_words 'weave checker plain' "$2" ;;
    --overlay) _drape_words 'strain speed crossings contacts' "$2" ;;
    --samples | --camera | --target | --fov | --ground | --colors | --thickness) ;;
    --frame | --frames | --threads | --set | --fps | --case | --commit) ;;
    *) return 1 ;;
    esac
}

_drape()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _drape_words 'run check info scenes convert bench ccd plot render help --help --version' "$word"
        return
    fi
    _drape_value "$before" "$word" && return
    case ${COMP_WORDS[1]}:$word in
    run:-*) _drape_words '-o --method --frames --format --set --threads --isa --stats --verify --particles --checkpoint --resume --from-frame
        --quiet --help' "$word" ;;
    check:-*) _drape_words '--obstacle --frame --frames --list --out --quiet --help' "$word" ;;
    info:-*) _drape_words '--method --set --help' "$word" ;;
    scenes:-*) _drape_words '--names --help' "$word" ;;
    convert:-*) _drape_words '--mesh --fps --help' "$word" ;;
    bench:-*) _drape_words '-o --isa --quick --case --method --threads --commit --films --help' "$word" ;;
    ccd:-*) _drape_words '--help' "$word" ;;
    plot:-*) _drape_words '-o --x --y --log --where --title --size --list --help' "$word" ;;
    render:-*) _drape_words '-o --frame --frames --size --samples --view --camera --target --fov
        --ground --pattern --colors --obstacle --overlay --rest --thickness --fps --threads
        --quiet --help' "$word" ;;
    help:*) _drape_words 'run check info scenes convert bench ccd plot render' "$word" ;;
    run:*) _drape_scenes "$word" ;;
    info:*) _drape_scenes "$word" obj ply pc2 mdd ;;
    check:* | convert:* | render:*) _drape_files "$word" obj ply pc2 mdd ;;
    ccd:*) _drape_files "$word" txt ;;
    plot:*) _drape_files "$word" json jsonl csv ;;
    bench:*) _drape_words 'solve geometry papers sensor spring crossings guard predict crowd torture' "$word" ;;
    esac
}

complete -F _drape drape
