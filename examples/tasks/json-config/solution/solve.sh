#!/bin/bash
set -e
jq '.server.port = 8443 | .server.tls = { enabled: true, certificate: "/etc/app/cert.pem" } | .features -= ["beta"]' config.json > /tmp/new.json
cat /tmp/new.json > config.json
