package llm

import "testing"

func TestExposes(t *testing.T) {
	for _, c := range []struct {
		url, key, header string
		want             bool
	}{
		{"http://models.example/v1", "KEY", "", true},
		{"http://10.0.0.7:8000/v1", "KEY", "", true},
		{"http://models.example/v1", "", "Bearer ${KEY}", true},
		{"http://models.example/v1", "", "", false},
		{"http://LocalHost:8000/v1", "KEY", "", false},
		{"http://127.0.0.2/v1", "KEY", "", false},
		{"http://[::1]:8000/v1", "KEY", "", false},
		{"https://models.example/v1", "KEY", "", false},
		{"", "KEY", "", false},
	} {
		p := Provider{BaseURL: c.url, APIKeyEnv: c.key, Headers: map[string]string{"X-Gate": c.header}}
		if got := p.Exposes(); (got != "") != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
