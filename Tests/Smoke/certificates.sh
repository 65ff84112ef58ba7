#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Creates a test CA and certificates of it in a folder: .build/certificates, or the argument. Earlier files are replaced.
#
#   ca.pem                    the CA, which clients trust; servers trust it for the certificates of clients
#   server.pem, server.key    for localhost, 127.0.0.1 and ::1, ECDSA P-256
#   rsa.pem, rsa.key          the same names, RSA with 2048 bits
#   client.pem, client.key    for a client
#   expired.pem, expired.key  a server whose certificate expired yesterday
#   wrong.pem, wrong.key      a server with the name other.example
#   stranger-ca.pem           another CA, which nobody trusts
#   stranger.pem, stranger.key, stranger-client.pem, stranger-client.key    certificates of that CA
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-.build/certificates}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
exec 3>&2 2>log
trap 'cat log >&3' ERR

names=DNS:localhost,IP:127.0.0.1,IP:::1
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256"

authority() { # NAME: a CA
    openssl req -x509 $curve -nodes -keyout "$1.key" -out "$1.pem" -subj "/O=swift-reactive/CN=$1" -days 90 \
        -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign
}
certificate() { # NAME CA USE NAMES KEY [DAYS]: a certificate of a CA for servers or clients
    openssl req $5 -nodes -keyout "$1.key" -out request.pem -subj "/O=swift-reactive/CN=$1"
    openssl x509 -req -in request.pem -CA "$2.pem" -CAkey "$2.key" -set_serial "0x00$(openssl rand -hex 16)" \
        -out "$1.pem" -days "${6:-90}" -extfile /dev/stdin <<EXTENSIONS
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = $3
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = $4
EXTENSIONS
    rm request.pem
}

authority ca
authority stranger-ca
certificate server ca serverAuth "$names" "$curve"
certificate rsa ca serverAuth "$names" "-newkey rsa:2048"
certificate client ca clientAuth DNS:client.example "$curve"
certificate expired ca serverAuth "$names" "$curve" -1
certificate wrong ca serverAuth DNS:other.example "$curve"
certificate stranger stranger-ca serverAuth "$names" "$curve"
certificate stranger-client stranger-ca clientAuth DNS:client.example "$curve"
chmod 600 ./*.key
rm log
echo "$folder: ca.pem, server.pem, server.key, and more; this file lists them: Tests/Smoke/certificates.sh"
