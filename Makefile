# Builds the release program and installs it:
#   make                                    the program, its manual pages and completions, in build/
#   make install PREFIX=/usr/local          them and the systemd units, an example configuration, documents
#   make install PREFIX=/usr DESTDIR=stage  for a package; `make uninstall` takes the same variables
#   make dist URL=https://…                 the source archive and Homebrew's formula that names it, in build/
# scripts/install-dependencies installs the libraries that the program is built with.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# SwiftPM's own folder, and what is made from it.
SCRATCH ?= .build-install
OUTPUT ?= build

bin = $(DESTDIR)$(PREFIX)/bin
share = $(DESTDIR)$(PREFIX)/share
units = $(DESTDIR)$(PREFIX)/lib/systemd/system

SWIFT_FLAGS ?=
# Where `make dist` is to be downloaded from, and the page of the project.
URL ?= file://$(CURDIR)/$(OUTPUT)
HOMEPAGE ?= $(URL)

flags = -c release --product imgcache --scratch-path $(SCRATCH) $(SWIFT_FLAGS)
ifeq ($(shell uname -s),Linux)
# The runtime of Swift is linked in: the program needs no toolchain. Functions that nothing calls are left out, symbols are
# not exported, and addresses are stored as differences: 27 MB instead of 35.
flags += --static-swift-stdlib -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections \
  -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker -s \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --as-needed
endif

.PHONY: all program install uninstall dist clean

all: program

program:
	$(SWIFT) build $(flags)
	mkdir -p $(OUTPUT)
	cp "$$($(SWIFT) build $(flags) --show-bin-path)/imgcache" $(OUTPUT)/imgcache
	scripts/man-pages $(OUTPUT)/imgcache $(OUTPUT)/man
	$(OUTPUT)/imgcache --generate-completion-script bash > $(OUTPUT)/imgcache.bash
	$(OUTPUT)/imgcache --generate-completion-script zsh > $(OUTPUT)/_imgcache
	$(OUTPUT)/imgcache --generate-completion-script fish > $(OUTPUT)/imgcache.fish

# `sudo make install` after `make` builds nothing again.
install:
	test -x $(OUTPUT)/imgcache || $(MAKE) program
	install -d $(bin) $(share)/man/man1 $(share)/doc/imgcache
	install -d $(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	install -m 755 $(OUTPUT)/imgcache $(bin)/imgcache
	install -m 644 $(OUTPUT)/man/*.1 $(share)/man/man1/
	install -m 644 $(OUTPUT)/imgcache.bash $(share)/bash-completion/completions/imgcache
	install -m 644 $(OUTPUT)/_imgcache $(share)/zsh/site-functions/_imgcache
	install -m 644 $(OUTPUT)/imgcache.fish $(share)/fish/vendor_completions.d/imgcache.fish
	install -m 644 README.md CHANGELOG.md LICENSE NOTICE Distribution/imgcache.yaml Distribution/openapi.yaml Distribution/imgcache-output.schema.json $(share)/doc/imgcache/
ifeq ($(shell uname -s),Linux)
	install -d $(units)
	for unit in imgcache.service imgcache.socket imgcache-prefetch.service imgcache-prefetch.timer; do \
	  sed 's|/usr/bin/imgcache|$(PREFIX)/bin/imgcache|' Distribution/$$unit > $(units)/$$unit && \
	  chmod 644 $(units)/$$unit || exit 1; \
	done
endif

uninstall:
	rm -f $(bin)/imgcache $(share)/man/man1/imgcache.1 $(share)/man/man1/imgcache-*.1 \
	  $(share)/bash-completion/completions/imgcache $(share)/zsh/site-functions/_imgcache \
	  $(share)/fish/vendor_completions.d/imgcache.fish $(units)/imgcache.service $(units)/imgcache.socket \
	  $(units)/imgcache-prefetch.service $(units)/imgcache-prefetch.timer
	rm -rf $(share)/doc/imgcache

# The files of the last commit, so that an archive of one commit is the same bytes wherever it is made.
version = $(shell sed -n 's/.*static let text = "\(.*\)"/\1/p' Sources/ImageModel/PackageVersion.swift)
archive = imgcache-$(version).tar.gz

dist:
	mkdir -p $(OUTPUT)
	git -c tar.umask=0022 archive --format=tar --prefix=imgcache-$(version)/ HEAD | gzip -9n > $(OUTPUT)/$(archive)
	sum=$$( (sha256sum $(OUTPUT)/$(archive) 2>/dev/null || shasum -a 256 $(OUTPUT)/$(archive)) | cut -d ' ' -f 1) && \
	  sed -e '1d' -e 's|@HOMEPAGE@|$(HOMEPAGE)|; s|@URL@|$(URL)|; s|@VERSION@|$(version)|' -e "s|@SHA256@|$$sum|" \
	  Distribution/imgcache.rb > $(OUTPUT)/imgcache.rb
	@echo "$(OUTPUT)/$(archive)  $(OUTPUT)/imgcache.rb"

clean:
	rm -rf $(OUTPUT) $(SCRATCH)
