#!/bin/sh
# Makes the certificates that the tests use: an authority, whose key is thrown away, and two servers. Good for a hundred years.
set -e
cd "$(dirname "$0")"
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
openssl req -x509 $curve -keyout authority.key -out authority.pem -days 36500 -subj "/CN=Tollgate test authority"
for name in upstream.test second.test; do
  openssl req -x509 $curve -keyout $name.key -out $name.pem -days 36500 -subj "/CN=$name" \
    -CA authority.pem -CAkey authority.key -addext "subjectAltName=DNS:$name" -addext "basicConstraints=critical,CA:FALSE"
done
rm authority.key
