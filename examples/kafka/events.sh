#!/usr/bin/env bash
# Writes shown.txt and done.txt: 600 lists, one a second until now, and what was clicked. A line is the key of a record, a tab and
# the record. The key is the id of the list on both sides, so that a click is in the partition of its list.
set -euo pipefail
start=$(($(date +%s) - 600))
: > shown.txt
: > done.txt
for ((n = 0; n < 600; n++)); do
  at=$((start + n))
  if ((n % 2)); then arm=new clicked=hat; else arm=old clicked=shoes; fi
  printf '%s\t{"id":"%s","shown_at":%d,"user":"u%d","arm":"%s","products":[{"sku":"hat"},{"sku":"shoes"},{"sku":"scarf"}]}\n' \
    "r$start-$n" "r$start-$n" "$at" "$((n % 101))" "$arm" >> shown.txt
  if ((n % 3)); then
    printf '%s\t{"list":"%s","done_at":%d,"sku":"%s","kind":"click"}\n' "r$start-$n" "r$start-$n" "$((at + 4))" "$clicked" >> done.txt
  fi
done
