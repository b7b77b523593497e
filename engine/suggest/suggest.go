// Package suggest finds the name that a mistyped one was probably meant to be,
// for errors that end in `did you mean "x"?`. It has no state and is not for hot paths.
package suggest

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the known name closest to word, as it is spelt in known, and
// whether any is close enough to be worth naming. Case and the difference
// between "-" and "_" do not count; a name that word begins, or that begins
// word, is close whatever its length. Of equally close names the one that
// shares the longer beginning wins, then the first.
func Nearest(word string, known []string) (string, bool) {
	w := fold(word)
	if w == "" {
		return "", false
	}
	best, bestDistance, bestShared := "", tolerance(w)+1, 0
	for _, name := range known {
		k := fold(name)
		d, s := distance(w, k), shared(w, k)
		if d >= max(len(w), len(k)) {
			continue // nothing in common
		}
		if d < bestDistance || (d == bestDistance && s > bestShared && best != "") {
			best, bestDistance, bestShared = name, d, s
		}
	}
	return best, best != ""
}

// Hint is ` (did you mean "x"?)` for an error to end in, or "" if nothing known is close.
func Hint(word string, known []string) string {
	if name, ok := Nearest(word, known); ok {
		return fmt.Sprintf(" (did you mean %q?)", name)
	}
	return ""
}

func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_")
}

// tolerance is how many edits a word may be away.
func tolerance(w string) int {
	switch n := len([]rune(w)); {
	case n < 4:
		return 1
	case n < 8:
		return 2
	default:
		return 3
	}
}

const (
	shortestStart = 2 // "du" may stand for "duration", "d" may not
	shortestName  = 3 // "blocksize" may stand for "block", "atomic" not for "at"
)

// distance is in edits; one name beginning with the other counts as one, and so
// do two letters the wrong way round.
func distance(w, k string) int {
	d := levenshtein.ComputeDistance(w, k)
	switch {
	case len(w) >= shortestStart && strings.HasPrefix(k, w):
		return min(d, 1)
	case len(k) >= shortestName && strings.HasPrefix(w, k):
		return min(d, 1)
	case d == 2 && swapped(w, k):
		return 1
	}
	return d
}

// swapped says whether a and b differ by two neighbouring bytes in each other's place.
func swapped(a, b string) bool {
	i := shared(a, b)
	return len(a) == len(b) && i+2 <= len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
