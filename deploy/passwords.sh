#!/bin/sh
# sh deploy/passwords.sh [reader|writer]
# Makes passwords for the users of SECURITY.md, for compose.yaml and deploy/kubernetes: the rules of the store with the
# SHA-256 of each password (users.acl), and COTAG_REDIS_URL for workers and schedulers (writer.env) and for the service
# (service.env). The service only reads; with `writer` it can take pushes and requests (COTAG_API_KEYS).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
service=${1:-reader}
case $service in reader | writer) ;; *) echo "usage: sh deploy/passwords.sh [reader|writer]" >&2; exit 2 ;; esac
umask 077
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
digest() { printf %s "$1" | sha256sum | cut -d' ' -f1; }
writer=$(random)
reader=$(random)
for folder in "$here/passwords" "$here/kubernetes/passwords"; do
  if [ -e "$folder" ]; then
    echo "$folder is there already; remove it to make new passwords, and restart all parts then" >&2
    exit 1
  fi
done
for folder in "$here/passwords" "$here/kubernetes/passwords"; do
  mkdir "$folder"
  # Anybody may ask for a sign of life, which health checks do, and nothing else.
  echo "user default on nopass resetkeys resetchannels -@all +ping" > "$folder/users.acl"
  sed -n '/^user cotag-/p' "$here/../SECURITY.md" |
    sed "s/>WRITER/#$(digest "$writer")/; s/>READER/#$(digest "$reader")/" >> "$folder/users.acl"
  echo "COTAG_REDIS_URL=redis://cotag-writer:$writer@redis:6379/0" > "$folder/writer.env"
  if [ "$service" = writer ]; then cp "$folder/writer.env" "$folder/service.env"
  else echo "COTAG_REDIS_URL=redis://cotag-reader:$reader@redis:6379/0" > "$folder/service.env"; fi
  # The store's own user must be able to read its rules. They have no password in them.
  chmod 711 "$folder" && chmod 644 "$folder/users.acl"
done
echo "made deploy/passwords and deploy/kubernetes/passwords; the service is cotag-$service"
