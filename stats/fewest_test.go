package stats

import "testing"

func TestFewest(t *testing.T) {
	for most := range 20 {
		for least := 1; least < 25; least++ {
			n, ok := fewest(most, func(n int) bool {
				if n < 1 || n > most {
					t.Fatalf("asked about %d of %d", n, most)
				}
				return n >= least
			})
			if ok != (least <= most) || ok && n != least {
				t.Errorf("of %d, %d are enough: %d, %t", most, least, n, ok)
			}
		}
	}
}
