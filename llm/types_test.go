package llm

import "testing"

// TestTypeWithoutAddress: a type without a default address gets none, because the user's key must not go to another maker's server.
func TestTypeWithoutAddress(t *testing.T) {
	types["new"] = ProviderType{Concurrency: 2}
	defer delete(types, "new")
	for _, name := range []string{"new", "unknown"} {
		if p := (Provider{Type: name, APIKeyEnv: "KEY"}).WithDefaults(); p.BaseURL != "" || p.Concurrency == 0 {
			t.Errorf("type %s: base_url %q, concurrency %d", name, p.BaseURL, p.Concurrency)
		}
	}
	if p := (Provider{Type: "new", BaseURL: "http://host.test"}).WithDefaults(); p.BaseURL != "http://host.test" || p.Concurrency != 2 {
		t.Errorf("its own address: %+v", p)
	}
}

// TestTypesHaveOwnAddresses: no two types have the same default address.
func TestTypesHaveOwnAddresses(t *testing.T) {
	seen := map[string]string{}
	for name, of := range types {
		if other, twice := seen[of.BaseURL]; twice && of.BaseURL != "" {
			t.Errorf("%s and %s have the address %s", name, other, of.BaseURL)
		}
		seen[of.BaseURL] = name
	}
}
