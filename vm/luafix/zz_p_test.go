package luafix_test
import ("testing";"os";"fmt")
func TestP(t *testing.T){ var n uint64; fmt.Sscan(os.Getenv("P"),&n); if n>0 { fmt.Println(program(n,true)) } }
