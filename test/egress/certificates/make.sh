#!/bin/sh
# Makes the certificates that the tests use: an authority, whose key is thrown away, and three servers, one called by its address. Good for a hundred years.
set -e
cd "$(dirname "$0")"
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
openssl req -x509 $curve -keyout authority.key -out authority.pem -days 36500 -subj "/CN=Tollgate test authority"
for name in upstream.test second.test; do
  openssl req -x509 $curve -keyout $name.key -out $name.pem -days 36500 -subj "/CN=$name" \
    -CA authority.pem -CAkey authority.key -addext "subjectAltName=DNS:$name" -addext "basicConstraints=critical,CA:FALSE"
done
openssl req -x509 $curve -keyout address.key -out address.pem -days 36500 -subj "/CN=address" \
  -CA authority.pem -CAkey authority.key -addext "subjectAltName=IP:127.0.0.1" -addext "basicConstraints=critical,CA:FALSE"

# One that has expired, and one that nobody vouches for.
openssl req $curve -keyout expired.test.key -out expired.csr -subj "/CN=expired.test"
printf 'subjectAltName=DNS:expired.test\nbasicConstraints=critical,CA:FALSE\n' > expired.ext
openssl x509 -req -in expired.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days -1 -extfile expired.ext -out expired.test.pem
openssl req -x509 $curve -keyout self-signed.test.key -out self-signed.test.pem -days 36500 -subj "/CN=self-signed.test" \
  -addext "subjectAltName=DNS:self-signed.test"
rm -f authority.key authority.srl expired.csr expired.ext
