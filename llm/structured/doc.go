// Package structured asks a model for a reply in a known form: the prompt, the JSON Schema of the
// reply, its lenient reading, the repair of an invalid one, and the decoding.
//
// A reply can repeat what it was shown. Text that stands word for word in the judged texts is their author's and never
// the model's verdict (Material); text that repeats the prompt is not content (Instructions.Repeats).
package structured
