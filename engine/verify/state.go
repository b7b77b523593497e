package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine/internal/inode"
	"moonio/engine/units"
)

// State is a file in which what is known of another file's blocks outlives the program. It is mapped
// into memory, so that it is up to date when the program is killed, and written to
// the storage once in a while, so that it says something when the machine dies. It never says
// more than is true.
type State struct {
	fd     int
	name   string
	fresh  bool // it knew nothing when it was opened
	chunks int  // that it has
	maps   [][]byte
	head   []byte

	seed     uint64
	sequence uint64
	epoch    uint32
	synced   uint32
	crashed  bool // the program that wrote it died
	powerCut bool // and so did the machine

	mu   sync.Mutex // guards head
	stop chan struct{}
	done sync.WaitGroup
	err  error // of writing it to the storage
}

// The state's first page. Chunks of the table follow.
const (
	stateMagic = "moonio verify 1\n"
	headSize   = 4096
	atInterval = 16
	atRunSeed  = 24
	atLastSeq  = 32
	atEpoch    = 40
	atSynced   = 44
	atOpen     = 48 // 1 while a program has it open
	atBoot     = 56 // which boot of the machine that was
	bootSize   = 36
	atIdentity = 96
	atHeaders  = 112 // whether blocks have headers; 0 if that was not noted
)

// What stands at atHeaders.
const (
	withHeaders    = 1
	withoutHeaders = 2
)

// Identity tells a file from another that has its name.
type Identity struct {
	Ino   uint64
	Birth int64 // ns since 1970; 0 if the file system does not say
}

// Identify finds out the identity of an open file.
func Identify(fd int) (Identity, error) {
	st, err := inode.Of(fd)
	if err != nil {
		return Identity{}, fmt.Errorf("identity of a verified file: %w", err)
	}
	return Identity{Ino: st.Ino, Birth: st.Btime.Sec*1e9 + int64(st.Btime.Nsec)}, nil
}

// Open says how a state file is to be used.
type Open struct {
	FD       int    // of the state file, open for reading and writing; the State owns it
	Name     string // in messages
	Method   Method
	Interval int64
	Seed     uint64   // the run's
	File     Identity // of the verified file
	Adopt    bool     // take it up though it is of another file, such as one that was copied
	Restart  bool     // forget what is known
	Persist  time.Duration
}

// OpenState takes up a state file, or begins it if it is empty or of another file. With
// Persist > 0 it is written to the storage so often.
func OpenState(o Open) (*State, error) {
	s := &State{fd: o.FD, name: o.Name, stop: make(chan struct{})}
	err := s.open(&o)
	if err != nil {
		s.unmap()
		return nil, errors.Join(fmt.Errorf("state of verification %q: %w", o.Name, err), unix.Close(o.FD))
	}
	if o.Persist > 0 {
		s.done.Go(func() { s.persist(o.Persist) })
	}
	return s, nil
}

func (s *State) open(o *Open) error {
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err != nil {
		return err
	}
	if st.Size > 0 && st.Size < headSize {
		return fmt.Errorf("its %d bytes are not a state of moonio's; remove it, or name another with state", st.Size)
	}
	if st.Size == 0 || o.Restart || !o.Adopt && !s.of(o.File) {
		if err := unix.Ftruncate(s.fd, 0); err != nil {
			return err
		}
		if err := unix.Ftruncate(s.fd, headSize); err != nil {
			return err
		}
		s.fresh = true
	}
	var err error
	if s.head, err = s.mapped(0, headSize); err != nil {
		return err
	}
	if !s.fresh {
		return s.resume(o, st.Size)
	}
	return s.begin(o)
}

func (s *State) mapped(off int64, n int) ([]byte, error) {
	if err := unix.Fallocate(s.fd, 0, off, int64(n)); err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		return nil, fmt.Errorf("making room for %s: %w", units.FormatSize(int64(n)), err)
	}
	m, err := unix.Mmap(s.fd, off, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %s of it: %w", units.FormatSize(int64(n)), err)
	}
	s.maps = append(s.maps, m)
	return m, nil
}

func (s *State) begin(o *Open) error {
	clear(s.head)
	copy(s.head, stateMagic)
	s.seed, s.epoch = o.Seed, 1
	binary.LittleEndian.PutUint64(s.head[atInterval:], uint64(o.Interval))
	binary.LittleEndian.PutUint64(s.head[atRunSeed:], o.Seed)
	binary.LittleEndian.PutUint64(s.head[atIdentity:], o.File.Ino)
	binary.LittleEndian.PutUint64(s.head[atIdentity+8:], uint64(o.File.Birth))
	s.head[atHeaders] = o.Method.headers()
	s.note(0, s.epoch, 0)
	s.opened()
	return nil
}

// headers is what a state says of the method.
func (m Method) headers() byte {
	if m == Pattern {
		return withoutHeaders
	}
	return withHeaders
}

// opened notes that a program is at work, and since which boot.
func (s *State) opened() {
	s.head[atOpen] = 1
	copy(s.head[atBoot:atBoot+bootSize], boot())
}

// boot names the time since the machine was last started.
func boot() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// resume reads what an earlier program knew.
func (s *State) resume(o *Open, size int64) error {
	if !bytes.HasPrefix(s.head, []byte(stateMagic)) {
		return errors.New("it is not a state of moonio's; remove it, or name another with state")
	}
	if n := int64(binary.LittleEndian.Uint64(s.head[atInterval:])); n != o.Interval {
		return fmt.Errorf("it is of blocks of %s, and these are of %s: use interval = %d, or remove it to begin anew", units.FormatSize(n), units.FormatSize(o.Interval), n)
	}
	if had := s.head[atHeaders]; had != 0 && had != o.Method.headers() {
		if had == withoutHeaders {
			return fmt.Errorf("what was written has no headers, and %s looks for them: use method = %q, or remove it to begin anew", o.Method, Pattern)
		}
		return fmt.Errorf("what was written has headers, and %s looks for none: use the method that it was written with, or remove it to begin anew", o.Method)
	}
	if (size-headSize)%chunkSize != 0 {
		return fmt.Errorf("its %d bytes end within its table: it was cut; remove it, and blocks are judged by what they say", size)
	}
	s.seed = binary.LittleEndian.Uint64(s.head[atRunSeed:])
	s.sequence = binary.LittleEndian.Uint64(s.head[atLastSeq:])
	s.epoch = binary.LittleEndian.Uint32(s.head[atEpoch:])
	s.synced = binary.LittleEndian.Uint32(s.head[atSynced:])
	s.chunks = int((size - headSize) / chunkSize)
	if s.head[atOpen] == 1 {
		s.crashed = true
		s.powerCut = string(s.head[atBoot:atBoot+bootSize]) != boot()
		s.sequence += 1 << 32 // those that were not noted any more
	}
	s.opened()
	return nil
}

// Interval reads how large the blocks of a state file are; 0 if it is empty.
func Interval(fd int) (int64, error) {
	head := make([]byte, atRunSeed)
	n, err := unix.Pread(fd, head, 0)
	if err != nil || n == 0 {
		return 0, err
	}
	if n < len(head) || !bytes.HasPrefix(head, []byte(stateMagic)) {
		return 0, errors.New("it is not a state of verification")
	}
	return int64(binary.LittleEndian.Uint64(head[atInterval:])), nil
}

// of says whether the state is of that file, or is none at all.
func (s *State) of(id Identity) bool {
	head := make([]byte, atIdentity+16)
	if n, err := unix.Pread(s.fd, head, 0); err != nil || n < len(head) || !bytes.HasPrefix(head, []byte(stateMagic)) {
		return true
	}
	return binary.LittleEndian.Uint64(head[atIdentity:]) == id.Ino && binary.LittleEndian.Uint64(head[atIdentity+8:]) == uint64(id.Birth)
}

// chunk maps a chunk of the table.
func (s *State) chunk(i int) ([]byte, error) {
	off := headSize + int64(i)*chunkSize
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err != nil {
		return nil, err
	}
	if st.Size < off+chunkSize {
		if err := unix.Ftruncate(s.fd, off+chunkSize); err != nil {
			return nil, fmt.Errorf("state of verification %q: %w", s.name, err)
		}
	}
	m, err := s.mapped(off, chunkSize)
	if err != nil {
		return nil, fmt.Errorf("state of verification %q: %w", s.name, err)
	}
	if s.crashed && i < s.chunks {
		s.survivors(m)
	}
	return m, nil
}

// survivors makes of a chunk what can be relied on after a crash.
func (s *State) survivors(m []byte) {
	var e entry
	for ; len(m) > 0; m = m[entrySize:] {
		if e.load(m); e.high > 0 {
			e.survive(s.powerCut, s.synced)
			e.store(m)
		}
	}
}

// note keeps the counters.
func (s *State) note(sequence uint64, epoch, synced uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	binary.LittleEndian.PutUint64(s.head[atLastSeq:], sequence)
	binary.LittleEndian.PutUint32(s.head[atEpoch:], epoch)
	binary.LittleEndian.PutUint32(s.head[atSynced:], synced)
}

// persist writes the state to the storage again and again.
func (s *State) persist(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			if err := unix.Fdatasync(s.fd); err != nil && s.err == nil {
				s.err = err
			}
		}
	}
}

func (s *State) close() error {
	close(s.stop)
	s.done.Wait()
	s.head[atOpen] = 0
	s.unmap()
	err := errors.Join(s.err, unix.Fsync(s.fd), unix.Close(s.fd))
	if err != nil {
		return fmt.Errorf("state of verification %q: %w", s.name, err)
	}
	return nil
}

func (s *State) unmap() {
	for _, m := range s.maps {
		_ = unix.Munmap(m) // it was mapped, and is whole
	}
	s.maps, s.head = nil, nil
}
