#!/bin/sh
# fuzz/campaign.sh BUILD [COUNT [FIRST]]: COUNT random scenes of each kind (10) from the seed FIRST
# on (0), by all methods and at 1/30, 1/60 and 1/120 s, judged by fuzz/campaign_check.c. Scenes that
# fail are written to BUILD/campaign-scenes, each for `limber run`; the same numbers are the same
# scenes. COUNT 112 plays 1 000 scenes in about 7 minutes of processor time; FIRST splits them among
# processes. BUILD/campaign --kind KIND --first SEED --trace follows one scene step by step.
set -eu
mkdir -p "$1/campaign-scenes"
exec "$1/campaign" --count "${2:-10}" --first "${3:-0}" --write "$1/campaign-scenes"
