#!/bin/bash
log() {
  printf '[%s] %s\n' "$1" "$2"
}

log info "starting ${1:-app}"
log info "started"
