# `make image` builds the program and the certificates, and this image:
#   docker run --rm -v "$PWD":/work -e OPENAI_API_KEY compqa run
FROM scratch
COPY dist/image/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY dist/image/compqa /usr/bin/compqa
WORKDIR /work
ENV TMPDIR=/work PATH=/usr/bin
ENTRYPOINT ["/usr/bin/compqa"]
