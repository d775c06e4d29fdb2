/** What leaves the normal course of commands. They are not errors and carry no stack, so they cost little. */

/** `break` and `continue`. */
export class LoopJump {
  constructor(
    readonly kind: 'break' | 'continue',
    /** How many loops are still to be left or continued. */
    public levels: number,
    /** Of the loop that ends. */
    readonly status = 0,
  ) {}
}

/** `return` from a function or a sourced file. */
export class ReturnJump {
  constructor(readonly status: number) {}
}

/** Ends the shell or subshell that it is thrown in: `exit`, `set -e`, a failed `${x:?}`. */
export class ExitJump {
  constructor(readonly status: number) {}
}

/** A job was killed. */
export class KilledJump {
  constructor(readonly signal: number) {}
}

/** A command fails with this message, and the shell goes on. */
export class CommandFailure {
  constructor(
    readonly message: string,
    readonly status = 1,
  ) {}
}

/** An expansion fails: the message is printed where it happens, and the whole line of commands is given up. */
export class ExpansionFailure {
  constructor(
    readonly message: string,
    readonly status = 1,
  ) {}
}

/** An assignment to a variable that can't be changed. Builtins and loops fail then, and the shell goes on. */
export class ReadonlyFailure extends ExpansionFailure {}

/** `$((1/0))`: unlike others it does not end a shell with `set -e`; the next line runs. */
export class MildFailure extends ExpansionFailure {}

/** What is wrong in `a[1+]=x` and in the values of integers ends all of a `-c`. */
export class ScriptFailure extends ExpansionFailure {}

/** Gives up what runs, up to the next line of the script or the end of a subshell. The message is printed already. */
export class AbandonJump {
  constructor(
    readonly status: number,
    readonly isMild = false,
    /** Leaves `eval` and sourced files too, and ends `bash -c`. */
    readonly toTop = false,
  ) {}
}
