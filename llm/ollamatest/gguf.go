package ollamatest

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

// The model is as small as a llama can be. Its words mean nothing, but a server loads it in a moment and writes hundreds of tokens per
// second.
const (
	width    = 64 // of the embedding, and of the only attention head
	hidden   = 128
	blocks   = 2
	longest  = 32768
	constant = 8.0 // value of the first channel, see newWeights
	spread   = 2.0 // standard deviation of the logits around their biases
)

// WriteModel writes a llama with random weights. Its vocabulary has single bytes and some words. The same seed gives the same bytes.
func WriteModel(file *os.File, seed uint64) error {
	v := newVocabulary()
	return ggml.WriteGGUF(file, ggml.KV{
		"general.architecture":                   "llama",
		"general.name":                           "compqa-test",
		"general.file_type":                      uint32(ggml.TensorTypeF32),
		"llama.context_length":                   uint32(longest),
		"llama.embedding_length":                 uint32(width),
		"llama.feed_forward_length":              uint32(hidden),
		"llama.block_count":                      uint32(blocks),
		"llama.attention.head_count":             uint32(1),
		"llama.attention.head_count_kv":          uint32(1),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		"llama.rope.dimension_count":             uint32(width),
		"llama.vocab_size":                       uint32(len(v.texts)),
		"tokenizer.ggml.model":                   "gpt2",
		"tokenizer.ggml.pre":                     "gpt-2",
		"tokenizer.ggml.tokens":                  v.texts,
		"tokenizer.ggml.token_type":              v.types,
		"tokenizer.ggml.merges":                  v.merges,
		"tokenizer.ggml.bos_token_id":            v.begin,
		"tokenizer.ggml.eos_token_id":            v.end,
		"tokenizer.ggml.eot_token_id":            v.turn,
		"tokenizer.ggml.add_bos_token":           true,
		"tokenizer.ggml.add_eos_token":           false,
	}, newWeights(v, rand.New(rand.NewPCG(seed, 0))))
}

// A vocabulary lists the model's tokens. A token's bias is added to its logit, so that replies are readable and end by themselves.
type vocabulary struct {
	texts            []string
	types            []int32
	merges           []string
	bias             []float64
	begin, end, turn uint32 // tokens that begin a text, end a text, and end a turn
}

const (
	never   = -50 // bias of a token that is never written
	normal  = 1   // token types of GGUF
	control = 3
)

const vocabularyWords = "Go Rust both neither compiles runs starts costs needs faster slower better than memory time and but because " +
	"while developers servers programs libraries every often never cheaper heavier simple large small"

// newVocabulary returns the vocabulary: single bytes, words, and control tokens.
func newVocabulary() vocabulary {
	var v vocabulary
	add := func(text string, kind int32, bias float64) uint32 {
		v.texts = append(v.texts, text)
		v.types = append(v.types, kind)
		v.bias = append(v.bias, bias)
		return uint32(len(v.texts) - 1)
	}
	letters := byteLetters()
	for i, letter := range letters {
		add(letter, normal, byteBias(byte(i)))
	}
	// No merge leads to a word. So a prompt is read byte by byte and has as many tokens as bytes, and a reply is written in words.
	for _, word := range strings.Fields(vocabularyWords) {
		add(letters[' ']+word, normal, 1.5)
	}
	// The tokenizer requires a merge. This one makes a token that is in no prompt of these tests.
	v.merges = []string{letters['~'] + " " + letters['^']}
	add(letters['~']+letters['^'], normal, never)
	v.begin = add("<|begin|>", control, never)
	v.end = add("<|end|>", control, -1.5)
	add("<|im_start|>", control, never)
	v.turn = add("<|im_end|>", control, -1.5)
	return v
}

// byteLetters returns the letters that GPT-2's tokenizer uses for the 256 bytes. Printable Latin-1 characters stand for themselves. The
// other bytes are code points from 256 on, in order.
func byteLetters() (letters [256]string) {
	next := rune(256)
	for i := range letters {
		r := rune(i)
		if r <= ' ' || r >= 0x7f && r <= 0xa0 || r == 0xad {
			r = next
			next++
		}
		letters[i] = string(r)
	}
	return letters
}

// byteBias returns the bias of a byte's token. It makes printable ASCII likely and all other bytes impossible. Characters that close a JSON
// value are the most likely, so that a reply with a schema ends.
func byteBias(c byte) float64 {
	switch {
	case strings.IndexByte(`"}],`, c) >= 0:
		return 0.5
	case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		return -1
	case c == '\\':
		return -20
	case c >= ' ' && c <= '~':
		return -2
	}
	return never
}

// weights are the values of a tensor.
type weights []float32

// WriteTo writes the values in the format of GGUF.
func (x weights) WriteTo(w io.Writer) (int64, error) {
	return int64(binary.Size(x)), binary.Write(w, binary.LittleEndian, x)
}

// newWeights draws the weights. The first channel of the residual stream is constant: every embedding sets it, and no block writes to it.
// So the first column of the output matrix is a bias of each token's logit.
func newWeights(v vocabulary, random *rand.Rand) (all []*ggml.Tensor) {
	add := func(name string, draw func() float64, shape ...uint64) weights { // shape: the fastest dimension first
		n := uint64(1)
		for _, size := range shape {
			n *= size
		}
		x := make(weights, n)
		for i := range x {
			x[i] = float32(draw())
		}
		all = append(all, &ggml.Tensor{Name: name + ".weight", Kind: uint32(ggml.TensorTypeF32), Shape: shape, WriterTo: x})
		return x
	}
	normal := func(deviation float64) func() float64 {
		return func() float64 { return random.NormFloat64() * deviation }
	}
	one := func() float64 { return 1 }
	tokens := uint64(len(v.texts))
	embedding := add("token_embd", normal(1), width, tokens)
	for i := range tokens {
		embedding[i*width] = constant
	}
	narrow := normal(1 / math.Sqrt(width))
	broad := normal(1 / math.Sqrt(hidden))
	for i := range blocks {
		block := fmt.Sprintf("blk.%d.", i)
		add(block+"attn_norm", one, width)
		add(block+"attn_q", narrow, width, width)
		add(block+"attn_k", narrow, width, width)
		add(block+"attn_v", narrow, width, width)
		clear(add(block+"attn_output", narrow, width, width)[:width]) // no writing to the first channel
		add(block+"ffn_norm", one, width)
		add(block+"ffn_gate", narrow, width, hidden)
		add(block+"ffn_up", narrow, width, hidden)
		clear(add(block+"ffn_down", broad, hidden, width)[:hidden])
	}
	// The last norm divides by about this value: the constant, and channels whose variance the blocks have raised from 1 to about 1.5.
	norm := math.Sqrt((constant*constant + 1.5*(width-1)) / width)
	output := add("output", normal(spread*norm/math.Sqrt(1.5*(width-1))), width, tokens)
	for i := range tokens {
		output[i*width] = float32(v.bias[i] * norm / constant)
	}
	add("output_norm", one, width)
	return all
}
