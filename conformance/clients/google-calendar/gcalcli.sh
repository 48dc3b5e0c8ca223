#!/usr/bin/env bash
# gcalcli as Debian has it, unmodified and with its own host names, through `sosia run`: it lists, adds, searches and deletes.
# usage: gcalcli.sh        (SOSIA_BIN: the `sosia` to run)
set -uo pipefail
if [ -z "${SOSIA_TOKEN:-}" ]; then
    exec "${SOSIA_BIN:-sosia}" run --show "$0" --fixture small --clock real -- "$0"
fi

passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/config"
cat >"$work/config/oauth" <<JSON
{"access_token": "$SOSIA_TOKEN", "client_id": "gcalcli", "client_secret": "none", "refresh_token": null, "token_expiry": null,
 "token_uri": "https://oauth2.googleapis.com/token", "user_agent": "gcalcli/v4.3.0", "revoke_uri": null, "id_token": null,
 "token_response": null, "scopes": ["https://www.googleapis.com/auth/calendar"], "token_info_uri": null, "invalid": false,
 "_class": "OAuth2Credentials", "_module": "oauth2client.client"}
JSON

cal() { gcalcli --config-folder "$work/config" --nocolor --noincluderc "$@"; }

# step NAME EXPECTED COMMAND...: the command succeeds and prints the expected text ("!TEXT": does not print it).
step() {
    local name=$1 expected=$2 out
    shift 2
    out=$("$@" 2>&1 </dev/null)
    local rc=$? ok=true
    [ $rc = 0 ] || ok=false
    case $expected in
    !*) [[ $out != *"${expected#!}"* ]] || ok=false ;;
    *) [[ $out == *"$expected"* ]] || ok=false ;;
    esac
    if $ok; then
        passed=$((passed + 1))
        echo "ok     $name"
    else
        failed=$((failed + 1))
        echo "FAILED $name ($rc)"
        echo "$out" | tail -n 15
    fi
}

step "lists the calendars" "$SOSIA_ACTOR" cal list
step "shows the agenda" "Coffee with Bo" cal agenda "$(date +%F)" "$(date -d '+2 days' +%F)"
step "adds an event" "" cal --calendar "$SOSIA_ACTOR" add --title "Sailing lesson" --when "$(date -d tomorrow +%F) 17:00" \
    --duration 90 --where Harbour --description "Bring a jacket" --noprompt
step "finds it by a word" "Sailing lesson" cal search Sailing
step "adds one in plain English" "" cal --calendar "$SOSIA_ACTOR" quick "Haircut tomorrow at 3pm"
step "and finds that" "Haircut" cal search Haircut
step "deletes by a word" "" cal --calendar "$SOSIA_ACTOR" delete --iamaexpert Sailing
step "which is gone then" "!Sailing lesson" cal search Sailing
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
