#!/bin/bash
log() {
  printf '[%s] %s\n' "$1" "$2"
}

log warning "stopping ${1:-app}"
