package fiodiff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Op is one operation, as a latency log with log_offset=1 has it. Syncs are not in such logs.
type Op struct {
	Dir    int   // 0 read, 1 write, 2 trim
	Offset int64 // bytes
	Length int64 // bytes
}

// Log reads the operations of a latency log, in order of completion. Its columns are time,
// latency, direction, length, offset and priority.
func Log(r io.Reader) (list []Op, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		columns := strings.Split(s.Text(), ", ")
		if len(columns) != 6 {
			return nil, fmt.Errorf("%d columns in %q", len(columns), s.Text())
		}
		var n [6]int64
		for i, c := range columns[:5] {
			if n[i], err = strconv.ParseInt(c, 10, 64); err != nil {
				return nil, fmt.Errorf("column %d of %q: %w", i+1, s.Text(), err)
			}
		}
		if p := columns[5]; strings.Trim(p, "0123456789abcdefx") != "" {
			return nil, fmt.Errorf("the priority of %q is no number", s.Text())
		}
		list = append(list, Op{int(n[2]), n[4], n[3]})
	}
	return list, s.Err()
}
