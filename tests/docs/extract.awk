# Code out of a page: `awk -v want=c -v wrap=1 -f extract.awk page.md`. Prints the blocks of the
# language; with wrap each becomes a brace of its own, with a line that names its place in the page.
/^```/ {
    if (inside) {
        if (wrap) {
            print "}"
        }
        inside = 0
    } else if ($0 == "```" want) {
        inside = 1
        if (wrap) {
            print "{"
            printf "#line %d \"%s\"\n", NR + 1, FILENAME
        }
    } else {
        other = !other
    }
    next
}
inside { print }
