#!/bin/sh
# Downloads a thumbnail with curl, again only when it has changed.
#   thumbnail.sh http://127.0.0.1:8780 https://example.org/a.jpg 200 200 a.jpg
set -eu
server=$1 url=$2 width=$3 height=$4 file=$5
curl --silent --show-error --fail --get "$server/thumb" \
  --data-urlencode "url=$url" --data "w=$width" --data "h=$height" \
  --etag-save "$file.etag.new" --etag-compare "$file.etag" --output "$file.new"
# Not changed: the response had no body.
if [ -s "$file.new" ]; then mv "$file.new" "$file"; mv "$file.etag.new" "$file.etag"; else rm -f "$file.new" "$file.etag.new"; fi
