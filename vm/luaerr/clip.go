package luaerr

import "unicode/utf8"

// What a message shows at most, in bytes: values and lines can be as long as their maker likes.
const (
	maxMessage = 4000
	maxSource  = 400
)

// shorten leaves out the middle of a message that is too long.
func shorten(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return cut(text, 0, maxMessage*3/4) + " … " + cut(text, len(text)-maxMessage/4, len(text))
}

// window is the error with the part of its line that the mark is in.
func (e *Error) window() *Error {
	w := *e
	if len(e.Source) <= maxSource {
		return &w
	}
	from := max(0, min(e.Column-1-maxSource/2, len(e.Source)-maxSource))
	for from > 0 && from < len(e.Source) && !utf8.RuneStart(e.Source[from]) {
		from++
	}
	w.Source = cut(e.Source, from, min(from+maxSource, len(e.Source)))
	if e.Column > 0 {
		w.Column -= from
		w.Width = min(e.Width, max(0, len(w.Source)-w.Column+1))
	}
	if from > 0 {
		w.Source = "…" + w.Source
		if w.Column > 0 {
			w.Column += len("…")
		}
	}
	if from+maxSource < len(e.Source) {
		w.Source += "…"
	}
	return &w
}

// cut takes a part of a text; of characters that it would split, it keeps nothing.
func cut(text string, from, to int) string {
	for from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return text[from:to]
}
