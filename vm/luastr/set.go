package luastr

// set is a set of bytes.
type set [4]uint64

func (s *set) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s set) inverted() set { return set{^s[0], ^s[1], ^s[2], ^s[3]} }

func (s set) with(t set) set { return set{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]} }

func one(c byte) (s set) {
	s[c>>6] = 1 << (c & 63)
	return s
}

// span is the bytes from first to last; it is empty where they are in the wrong order.
func span(first, last byte) (s set) {
	for c := int(first); c <= int(last); c++ {
		s[c>>6] |= 1 << (c & 63)
	}
	return s
}

// The classes, as C's locale has them.
var (
	letters = span('a', 'z').with(span('A', 'Z'))
	digits  = span('0', '9')
	classes = map[byte]set{
		'a': letters,
		'c': span(0, 31).with(one(127)),
		'd': digits,
		'l': span('a', 'z'),
		'p': span('!', '~').without(letters.with(digits)),
		's': span('\t', '\r').with(one(' ')),
		'u': span('A', 'Z'),
		'w': letters.with(digits),
		'x': digits.with(span('a', 'f')).with(span('A', 'F')),
		'z': one(0),
	}
)

func (s set) without(t set) set { return s.inverted().with(t).inverted() }

// escaped is what "%c" stands for: a class, with a capital the bytes that are not of it,
// and otherwise the byte itself.
func escaped(c byte) set {
	if s, ok := classes[c]; ok {
		return s
	}
	if c >= 'A' && c <= 'Z' {
		if s, ok := classes[c|0x20]; ok {
			return s.inverted()
		}
	}
	return one(c)
}
