package engine

// Option is one option of an engine, as users write it behind the engine's name:
// "io_uring:sqpoll,sqpoll_cpu=1". In Config.Options a switch is "1" or "0".
type Option struct {
	Name  string
	Also  []string // other names that are understood
	Value string   // what stands for the value, "N"; empty for a switch
	About string   // what it does, in a line
}
