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

# The names at the start of the lines of `drape scenes`, scene files, files of further endings.
_drape_scenes()
{
    local names
    names=$("${COMP_WORDS[0]}" scenes 2>/dev/null |
        sed -nE 's/^ *([a-z][a-z0-9-]*)([[:space:]].*)?$/\1/p')
    _drape_words "$names" "$1"
    _drape_files "$1" json "${@:2}"
}

# The value of option $1 so far is $2. Fails when $1 is no option that takes one.
_drape_value()
{
    case $1 in
    -o) _drape_files "$2" ;;
    --format) _drape_words 'pc2 mdd obj ply' "$2" ;;
    --method) _drape_words 'drape slide box sensor spring predict
        slide_paper box_paper predict_paper' "$2" ;;
    --stats) _drape_files "$2" json jsonl ;;
    --frames | --threads | --set) ;;
    *) return 1 ;;
    esac
}

_drape()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _drape_words 'run info convert bench scenes --help' "$word"
        return
    fi
    _drape_value "$before" "$word" && return
    case ${COMP_WORDS[1]}:$word in
    run:-*) _drape_words '-o --method --frames --format --set --threads --stats --quiet --help' \
        "$word" ;;
    bench:-*) _drape_words '-o --help' "$word" ;;
    *:-*) _drape_words '--help' "$word" ;;
    run:*) _drape_scenes "$word" ;;
    info:*) _drape_scenes "$word" obj ply pc2 mdd ;;
    convert:*) _drape_files "$word" obj ply pc2 mdd ;;
    esac
}

complete -F _drape drape
