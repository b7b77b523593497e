package format

import (
	"archive/tar"
	"bufio"
	"fmt"
	"io"
)

// Members of an archive are read at the same time, each from an opening of the archive of
// its own. Getting to a member of a compressed one means decompressing all
// before it.
const (
	maxMembers           = 1024
	maxCompressedMembers = 16
)

// isTar says whether an input is a tar archive.
func isTar(in *bufio.Reader) bool {
	head, _ := in.Peek(262)
	return len(head) == 262 && string(head[257:]) == "ustar"
}

// members makes sources of the files in an archive.
func (s source) members(in *bufio.Reader, compressed bool) ([]source, error) {
	if s.stdin {
		return nil, fmt.Errorf("%s: it is a tar archive, whose files cannot be merged while it streams past: name it as a file", s.name)
	}
	var out []source
	archive := tar.NewReader(in)
	for n := 0; ; n++ {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: archive: %w", s.name, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		out = append(out, source{name: s.name + "/" + h.Name, found: true, open: func() (io.ReadCloser, error) { return s.openMember(n) }})
		if len(out) > maxMembers || compressed && len(out) > maxCompressedMembers {
			return nil, fmt.Errorf("%s: the archive holds too many files to be read at the same time: unpack it, and name the directory", s.name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there is no file in the archive", s.name)
	}
	return out, nil
}

// openMember opens the archive anew, and in it the member of a number.
func (s source) openMember(n int) (io.ReadCloser, error) {
	file, err := s.open()
	if err != nil {
		return nil, err
	}
	in, compressed, free, err := decompress(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	closer := &closers{file: file, free: free}
	var from io.Reader = in
	if seeker, ok := file.(io.ReadSeeker); ok && !compressed {
		if _, err := seeker.Seek(0, io.SeekStart); err == nil {
			from = seeker // passes over members without reading them
		}
	}
	archive := tar.NewReader(from)
	for ; n >= 0; n-- {
		if _, err := archive.Next(); err != nil {
			closer.Close()
			return nil, fmt.Errorf("archive: %w", err)
		}
	}
	closer.Reader = archive
	return closer, nil
}

// closers is an opened input with what is beneath it.
type closers struct {
	io.Reader
	file io.Closer
	free func()
}

func (c *closers) Close() error {
	c.free()
	return c.file.Close()
}
