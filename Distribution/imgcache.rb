# Homebrew's formula. `make dist` fills in what is between @ and writes build/imgcache.rb.
class Imgcache < Formula
  desc "Fetches, caches and serves images"
  homepage "@HOMEPAGE@"
  url "@URL@/imgcache-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "giflib"
  depends_on "jpeg-turbo"
  depends_on "libavif"
  depends_on "libdeflate"
  depends_on "libheif"
  depends_on "libpng"
  depends_on "libyaml"
  depends_on "little-cms2"
  depends_on macos: :sequoia
  depends_on "minizip"
  depends_on "openssl@3"
  depends_on "pango"
  depends_on "webp"

  uses_from_macos "curl"
  uses_from_macos "libxml2"
  uses_from_macos "zlib"

  def install
    # Homebrew's sandbox is around the build already, and has no room for SwiftPM's.
    system "make", "SWIFT_FLAGS=--disable-sandbox"
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/imgcache --version").lines.first.chomp
    system bin/"imgcache", "prefetch", "--sample", "--quiet", "--cache-dir", testpath/"cache"
    system bin/"imgcache", "verify", "--cache-dir", testpath/"cache"
  end
end
