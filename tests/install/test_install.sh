#!/bin/sh
# The installed package, seen from outside: nothing here looks into the source tree but for the
# programs that are built. Usage: test_install.sh SOURCE_DIR BUILD_DIR LIBDIR VERSION
set -eu
source=$1 build=$2 libdir=$3 version=$4
cc=${CC:-cc}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
lib=$prefix/$libdir

fail() {
    echo "test_install: $1" >&2
    exit 1
}

# Stops unless the output of the hello program is complete.
expect_hello() {
    "$@" >"$work/hello.txt" || fail "'$*' ended with code $?"
    frames=$(grep -c 'smallest gap' "$work/hello.txt") || true
    [ "$frames" = 120 ] || fail "'$*' told of $frames frames, not of 120"
    tail -n 1 "$work/hello.txt" | grep -q '^1600 vertices, first at height' ||
        fail "'$*' ended with: $(tail -n 1 "$work/hello.txt")"
}

# Whatever was there before shall not help.
cmake --install "$build" --prefix "$prefix" >"$work/install.txt" || fail 'cmake --install failed'
export PKG_CONFIG_LIBDIR="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
cd "$work"
cp "$source/examples/hello_cloth.c" "$source/tests/install/io_user.c" .

echo 'All files are there'
for file in include/drape/drape.h include/drape/types.h include/drape/id.h include/drape/vec.h \
    include/drape/io.h bin/drape share/drape/scenes/table.json share/man/man1/drape.1 \
    share/bash-completion/completions/drape; do
    [ -s "$prefix/$file" ] || fail "$file was not installed"
done
for name in libdrape libdrape_io; do
    [ -s "$lib/$name.a" ] || fail "$name.a was not installed"
    [ "$(readlink -f "$lib/$name.so")" = "$lib/$name.so.$version" ] || fail "$name.so leads nowhere"
done

echo 'Headers stand alone'
for header in "$prefix"/include/drape/*.h; do
    echo "#include <drape/${header##*/}>" |
        "$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -xc - ||
        fail "${header##*/} cannot be included alone"
done

echo 'Only the public names are visible'
for name in libdrape libdrape_io; do
    nm -D --defined-only "$lib/$name.so" | awk '{print $NF}' >names.txt
    grep -q '^drape_' names.txt || fail "$name.so shows nothing"
    if grep -v '^drape_' names.txt; then fail "$name.so shows the names above"; fi
done

echo 'The core needs the C library, libm and threads only'
readelf -d "$lib/libdrape.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >needed.txt
if grep -v -E '^(libc|libm|libpthread|ld-linux.*)\.so' needed.txt; then
    fail 'libdrape.so needs the libraries above'
fi

echo 'find_package'
mkdir find_package
cp "$source/tests/install/find_package.cmake" find_package/CMakeLists.txt
cmake -S find_package -B find_package/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DDRAPE_VERSION="$version" -DPROGRAMS="$work" >cmake.txt || fail 'find_package(drape) failed'
cmake --build find_package/build >cmake.txt || { cat cmake.txt; fail 'building with CMake failed'; }
expect_hello find_package/build/hello_shared
expect_hello find_package/build/hello_static
find_package/build/io_shared
find_package/build/io_static

echo 'pkg-config'
[ "$(pkg-config --modversion drape)" = "$version" ] || fail 'drape.pc tells another version'
# Words of pkg-config are many: no quotes.
# shellcheck disable=SC2046
{
    "$cc" -std=c17 hello_cloth.c -o hello_shared $(pkg-config --cflags --libs drape)
    "$cc" -std=c17 hello_cloth.c -o hello_static -static \
        $(pkg-config --static --cflags --libs drape)
    "$cc" -std=c17 io_user.c -o io_shared $(pkg-config --cflags --libs drape_io)
    "$cc" -std=c17 io_user.c -o io_static -static $(pkg-config --static --cflags --libs drape_io)
}
expect_hello ./hello_shared
expect_hello ./hello_static
./io_shared
./io_static

echo 'The command finds its scenes'
"$prefix/bin/drape" scenes >scenes.txt || fail 'drape scenes failed'
grep -q '^ *table' scenes.txt || fail 'drape scenes does not know the table'
"$prefix/bin/drape" run table --frames 2 --quiet -o out || fail 'drape run table failed'
[ -n "$(ls out)" ] || fail 'drape run table left nothing'

echo 'Every option of the command is in the man page and in the completion'
for command in run info convert bench scenes; do
    "$prefix/bin/drape" "$command" --help >help.txt || fail "drape $command --help failed"
    tr -c 'a-z-' '\n' <help.txt | sed -n '/^--*[a-z]/p' >options.txt
    while read -r option; do
        sed 's/\\-/-/g' "$prefix/share/man/man1/drape.1" | grep -q -w -e "$option" ||
            fail "the man page does not know $option of drape $command"
        grep -q -w -e "$option" "$prefix/share/bash-completion/completions/drape" ||
            fail "the completion does not know $option of drape $command"
    done <options.txt
done

echo 'The tree may be moved'
mv "$prefix" "$work/moved"
"$work/moved/bin/drape" scenes | cmp -s - scenes.txt || fail 'the moved command lost its scenes'
