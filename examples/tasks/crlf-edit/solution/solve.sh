#!/bin/bash
set -e
awk -v RS='\r\n' -v ORS='' 'NR > 1 { print "\r\n" } /^\[/ { section = $0 } section == "[server]" && /^name = / { $0 = "name = new-name" } { print }' settings.ini > /tmp/new.ini
cat /tmp/new.ini > settings.ini
