#!/bin/sh
# Downloads a thumbnail over a Unix socket, for tools on the same machine.
#   install -d -m 750 -g www-data /run/imgcache
#   imgcache serve --listen unix:/run/imgcache/http.sock
#   thumbnail-socket.sh /run/imgcache/http.sock https://example.org/a.jpg 200 200 a.jpg
set -eu
socket=$1 url=$2 width=$3 height=$4 file=$5
curl --silent --show-error --fail --unix-socket "$socket" --get http://localhost/thumb \
  --data-urlencode "url=$url" --data "w=$width" --data "h=$height" --output "$file"
