# check NAME GOT WANTED: one test.
check() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: got '$2', wanted '$3'"
        exit 1
    fi
}
