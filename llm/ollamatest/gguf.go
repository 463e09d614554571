package ollamatest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
)

// The model is as small as a llama may be: its words mean nothing, but a server
// loads it in a moment and answers at hundreds of tokens a second.
const (
	width    = 64 // of the embedding, and of the one head
	hidden   = 128
	blocks   = 2
	longest  = 32768
	constant = 8.0 // the first channel's value, see newWeights
	spread   = 2.0 // standard deviation of the logits around their biases
)

// Value types of GGUF's key-value section.
const (
	ggufUint32 uint32 = iota + 4
	ggufInt32
	ggufFloat32
	ggufBool
	ggufString
	ggufArray
)

const alignment = 32

// WriteModel writes a llama of random weights as a GGUF file, version 3 (format:
// ggml's docs/gguf.md), with a vocabulary of single bytes and some words. The
// same seed gives the same bytes.
func WriteModel(w io.Writer, seed uint64) error {
	vocabulary := newVocabulary()
	tensors := newWeights(vocabulary, rand.New(rand.NewPCG(seed, 0)))
	head := header(vocabulary, len(tensors))
	offset := 0
	for _, t := range tensors {
		head = appendText(head, t.name)
		head = binary.LittleEndian.AppendUint32(head, uint32(len(t.shape)))
		for _, n := range t.shape {
			head = binary.LittleEndian.AppendUint64(head, uint64(n))
		}
		head = binary.LittleEndian.AppendUint32(head, 0) // 32-bit floats
		head = binary.LittleEndian.AppendUint64(head, uint64(offset))
		offset = aligned(offset + 4*len(t.data))
	}
	if _, err := w.Write(padded(head)); err != nil {
		return fmt.Errorf("writing the model: %w", err)
	}
	for _, t := range tensors {
		var data []byte
		for _, x := range t.data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		if _, err := w.Write(padded(data)); err != nil {
			return fmt.Errorf("writing the model: %w", err)
		}
	}
	return nil
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

func padded(b []byte) []byte { return append(b, make([]byte, aligned(len(b))-len(b))...) }

// header is the file up to the list of tensors.
func header(v vocabulary, tensors int) []byte {
	values := []struct {
		key   string
		value any
	}{
		{"general.architecture", "llama"},
		{"general.name", "compqa-test"},
		{"general.alignment", uint32(alignment)},
		{"general.file_type", uint32(0)},
		{"llama.context_length", uint32(longest)},
		{"llama.embedding_length", uint32(width)},
		{"llama.feed_forward_length", uint32(hidden)},
		{"llama.block_count", uint32(blocks)},
		{"llama.attention.head_count", uint32(1)},
		{"llama.attention.head_count_kv", uint32(1)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"llama.rope.dimension_count", uint32(width)},
		{"llama.vocab_size", uint32(len(v.texts))},
		{"tokenizer.ggml.model", "gpt2"},
		{"tokenizer.ggml.pre", "gpt-2"},
		{"tokenizer.ggml.tokens", v.texts},
		{"tokenizer.ggml.token_type", v.types},
		{"tokenizer.ggml.merges", v.merges},
		{"tokenizer.ggml.bos_token_id", uint32(v.begin)},
		{"tokenizer.ggml.eos_token_id", uint32(v.end)},
		{"tokenizer.ggml.eot_token_id", uint32(v.turn)},
		{"tokenizer.ggml.add_bos_token", true},
		{"tokenizer.ggml.add_eos_token", false},
	}
	b := []byte("GGUF")
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint64(b, uint64(tensors))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(values)))
	for _, kv := range values {
		b = appendValue(appendText(b, kv.key), kv.value)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

// appendValue writes the type of a value and the value.
func appendValue(b []byte, value any) []byte {
	order := binary.LittleEndian
	switch x := value.(type) {
	case uint32:
		return order.AppendUint32(order.AppendUint32(b, ggufUint32), x)
	case float32:
		return order.AppendUint32(order.AppendUint32(b, ggufFloat32), math.Float32bits(x))
	case bool:
		b = order.AppendUint32(b, ggufBool)
		if x {
			return append(b, 1)
		}
		return append(b, 0)
	case string:
		return appendText(order.AppendUint32(b, ggufString), x)
	case []string:
		b = order.AppendUint32(order.AppendUint32(b, ggufArray), ggufString)
		b = order.AppendUint64(b, uint64(len(x)))
		for _, s := range x {
			b = appendText(b, s)
		}
		return b
	case []int32:
		b = order.AppendUint32(order.AppendUint32(b, ggufArray), ggufInt32)
		b = order.AppendUint64(b, uint64(len(x)))
		for _, n := range x {
			b = order.AppendUint32(b, uint32(n))
		}
		return b
	}
	panic(fmt.Sprintf("ollamatest: no GGUF value of type %T", value))
}

// vocabulary is what the model reads and writes. A token's bias is added to its
// logit, so that replies are readable and end by themselves.
type vocabulary struct {
	texts            []string
	types            []int32
	merges           []string
	bias             []float64
	begin, end, turn int // tokens that begin a text, end it, end a turn
}

const (
	never   = -50 // a bias that keeps a token from being written
	normal  = 1   // token types of GGUF
	control = 3
)

const vocabularyWords = "Go Rust both neither compiles runs starts costs needs faster slower better than memory time and but because " +
	"while developers servers programs libraries every often never cheaper heavier simple large small"

func newVocabulary() vocabulary {
	var v vocabulary
	add := func(text string, kind int32, bias float64) int {
		v.texts = append(v.texts, text)
		v.types = append(v.types, kind)
		v.bias = append(v.bias, bias)
		return len(v.texts) - 1
	}
	letters := byteLetters()
	for i, letter := range letters {
		add(letter, normal, byteBias(byte(i)))
	}
	// No merge leads to a word: a prompt is read byte by byte, so that its length
	// in tokens is its length in bytes, and a reply is written in words.
	for _, word := range strings.Fields(vocabularyWords) {
		add(letters[' ']+word, normal, 1.5)
	}
	// The tokenizer wants a merge; this one makes a token that no prompt in
	// these tests holds.
	v.merges = []string{letters['~'] + " " + letters['^']}
	add(letters['~']+letters['^'], normal, never)
	v.begin = add("<|begin|>", control, never)
	v.end = add("<|end|>", control, -1.5)
	add("<|im_start|>", control, never)
	v.turn = add("<|im_end|>", control, -1.5)
	return v
}

// byteLetters are the letters that GPT-2's tokenizer writes for the 256 bytes:
// printable Latin-1 ones stand for themselves, the rest for the code points from
// 256 on, in order.
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

// byteBias makes printable ASCII likely, and all other bytes impossible. Characters that
// close a JSON value are most likely, so that a reply with a schema ends.
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

type tensor struct {
	name  string
	shape []int // the fastest dimension first
	data  []float32
}

// newWeights draws the weights. The first channel of the residual stream holds a
// constant: every embedding has it, and no block writes to it. So the first
// column of the output matrix acts as a bias of each token's logit.
func newWeights(v vocabulary, random *rand.Rand) []tensor {
	matrix := func(name string, in, out int, deviation float64) tensor {
		t := tensor{name, []int{in, out}, make([]float32, in*out)}
		for i := range t.data {
			t.data[i] = float32(random.NormFloat64() * deviation)
		}
		return t
	}
	ones := func(name string) tensor {
		t := tensor{name, []int{width}, make([]float32, width)}
		for i := range t.data {
			t.data[i] = 1
		}
		return t
	}
	sparing := func(t tensor) tensor { // doesn't write to the first channel
		clear(t.data[:t.shape[0]])
		return t
	}
	tokens := len(v.texts)
	embedding := matrix("token_embd.weight", width, tokens, 1)
	for i := range tokens {
		embedding.data[i*width] = constant
	}
	all := []tensor{embedding}
	narrow, broad := 1/math.Sqrt(width), 1/math.Sqrt(hidden)
	for i := range blocks {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", i, part) }
		all = append(all,
			ones(name("attn_norm")),
			matrix(name("attn_q"), width, width, narrow),
			matrix(name("attn_k"), width, width, narrow),
			matrix(name("attn_v"), width, width, narrow),
			sparing(matrix(name("attn_output"), width, width, narrow)),
			ones(name("ffn_norm")),
			matrix(name("ffn_gate"), width, hidden, narrow),
			matrix(name("ffn_up"), width, hidden, narrow),
			sparing(matrix(name("ffn_down"), hidden, width, broad)),
		)
	}
	// The last norm divides by about this: the constant, and channels whose
	// variance the blocks have raised from 1 to about 1.5.
	norm := math.Sqrt((constant*constant + 1.5*(width-1)) / width)
	output := matrix("output.weight", width, tokens, spread*norm/math.Sqrt(1.5*(width-1)))
	for i := range tokens {
		output.data[i*width] = float32(v.bias[i] * norm / constant)
	}
	return append(all, ones("output_norm.weight"), output)
}

// model is the file in memory.
func model() ([]byte, error) {
	var b bytes.Buffer
	err := WriteModel(&b, 1)
	return b.Bytes(), err
}
