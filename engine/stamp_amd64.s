#include "textflag.h"

// func timestamp() int64
TEXT ·timestamp(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET
