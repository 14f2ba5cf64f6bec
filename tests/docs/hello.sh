#!/bin/sh
# The page hello.md is the program examples/hello_cloth.c, and prints what it says:
# hello.sh SOURCE_DIR PROGRAM
set -eu
source=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk -v want=c -f "$source/tests/docs/extract.awk" "$source/docs/hello.md" >"$folder/page.c"
diff "$folder/page.c" "$source/examples/hello_cloth.c"

# Lines between two "..." follow one another in the output.
awk -v want=text -f "$source/tests/docs/extract.awk" "$source/docs/hello.md" >"$folder/expected"
"$program" >"$folder/printed"
awk 'NR == FNR { line[++count] = $0; next }
     $0 == "..." { free = 1; next }
     {
         do { at++ } while (free && at <= count && line[at] != $0)
         if (line[at] != $0) { print "not printed: " $0; exit 1 }
         free = 0; seen++
     }
     END { if (!seen) { print "the page has no output"; exit 1 } }' "$folder/printed" "$folder/expected"
