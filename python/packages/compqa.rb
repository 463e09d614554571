# Homebrew formula, filled in by `make dist`.
class Compqa < Formula
  desc "Benchmark for comparative question answering and its judges"
  homepage "@URL@"
  version "@VERSION@"

  on_macos do
    on_arm do
      url "@URL@/compqa_darwin_arm64.tar.gz"
      sha256 "@compqa_darwin_arm64.tar.gz@"
    end
    on_intel do
      url "@URL@/compqa_darwin_amd64.tar.gz"
      sha256 "@compqa_darwin_amd64.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/compqa_linux_arm64.tar.gz"
      sha256 "@compqa_linux_arm64.tar.gz@"
    end
    on_intel do
      url "@URL@/compqa_linux_amd64.tar.gz"
      sha256 "@compqa_linux_amd64.tar.gz@"
    end
  end

  def install
    bin.install "compqa"
    man1.install Dir["man/*.1"]
  end

  test do
    system bin/"compqa", "--version"
  end
end
