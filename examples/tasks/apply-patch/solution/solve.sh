#!/bin/bash
set -e
patch -d project -p1 < fix.patch
rm -f fix.patch project/*.orig
