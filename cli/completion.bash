# Bash completion for sosia. Commands and options are asked of the program itself, so that this file knows no list
# that could grow old.
_sosia() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')" -- "$cur")
        return
    fi
    local help below
    help=$("$program" "$command" --help 2>/dev/null)
    # Commands below a command: "  conformance replay     ...".
    below=$(sed -n "s/^  $command \([a-z][a-z-]*\) .*/\1/p" <<<"$help")
    if [ -n "$below" ]; then
        if [ "$COMP_CWORD" = 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W "$below" -- "$cur")
            return
        fi
        help=$("$program" "$command" "${COMP_WORDS[2]}" --help 2>/dev/null)
    fi
    [ -n "$below" ] && [ "$prev" = --ca ] && prev=--file
    case $prev in
    --data | --fixtures | --ca)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --file | --out)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --clock)
        mapfile -t COMPREPLY < <(compgen -W "real frozen step" -- "$cur")
        return
        ;;
    --keep)
        if [ "$command" = journal ]; then
            mapfile -t COMPREPLY < <(compgen -W "redacted full hashes" -- "$cur")
            return
        fi
        mapfile -t COMPREPLY < <(compgen -W "token cookie key email name phone ip" -- "$cur")
        return
        ;;
    --format)
        if [ "$command" = journal ]; then
            mapfile -t COMPREPLY < <(compgen -W "jsonl har otlp atif" -- "$cur")
            return
        fi
        mapfile -t COMPREPLY < <(compgen -W "text json html junit" -- "$cur")
        return
        ;;
    --log)
        mapfile -t COMPREPLY < <(compgen -W "off error warn info debug" -- "$cur")
        return
        ;;
    --*)
        # What it takes, its name in the help says, if it is a file.
        if grep -q -- "^  $prev \(FILE\|DIR\|PATH\) " <<<"$help"; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
        fi
        # An option that takes a value is in the help with its name in capitals behind it.
        if sed -n 's/^  \(--[a-z-]* [A-Z=]*\) .*/\1/p' <<<"$help" | grep -q -- "^$prev [A-Z]"; then
            return
        fi
        ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' <<<"$help")" -- "$cur")
        return
    fi
    # The first words that the usage line offers: "create|list|show".
    local words
    words=$(sed -n '1s/^usage: sosia [a-z-]* //p' <<<"$help" | grep -o '^[a-z|A-Z ]*' | tr '| ' '\n\n' | grep -x '[a-z]*')
    if [ "$COMP_CWORD" = 2 ] && [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -F _sosia sosia
