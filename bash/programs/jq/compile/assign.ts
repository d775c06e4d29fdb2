/** Assignments, and what else changes a value that is its input. */
import { add, applyOperator } from '../arithmetic.js'
import { deletePaths, getPath, setPath } from '../paths.js'
import { isTruthy, type Json } from '../values.js'
import { Break, type Code, type Emit, type Env, Label } from './code.js'
import { valueCode, wholePath } from './code-parts.js'
import { type Account, checkText } from './memory.js'
import { appendInPlace, Owned } from './owned.js'

export interface Assignment {
  operator: string
  left: Code
  right: Code
  /** The right side has nothing of the input in its outputs. */
  isOther: boolean
  step(): void
}

export function compileAssign({ operator, left, right, isOther, step }: Assignment): Code {
  const pathsOf = (input: Json, env: Env | undefined): Json[][] => {
    const found: Json[][] = []
    left.paths([], input, env, (path, value) => {
      found.push(wholePath(path, value))
    })
    return found
  }
  if (operator === '|=') {
    const change = (input: Json, env: Env | undefined, owned: Owned) =>
      update(input, pathsOf(input, env), owned, step, (value, use) => right.run(value, env, use))
    return updating(
      (input, env, emit) => emit(change(input, env, new Owned())),
      (input, env, owned, emit) => emit(change(input, env, owned)),
    )
  }
  const apply = operator === '=' || operator === '//=' ? undefined : applyOperator(operator.slice(0, -1))

  function assign(input: Json, env: Env | undefined, value: Json, owned: Owned): Json {
    let result = input
    for (const path of pathsOf(input, env)) {
      const old = operator === '=' ? null : getPath(result, path)
      if (apply === add && appendInPlace(old, value, owned)) continue
      const next = operator === '=' ? value : apply !== undefined ? apply(old, value) : isTruthy(old) ? old : value
      result = setPath(result, path, next, owned)
      // A sum of two containers is new.
      if (apply === add && next !== old && next !== value && typeof next === 'object' && next !== null) owned.add(next)
    }
    return result
  }

  const run: Code['run'] = (input, env, emit) =>
    right.run(input, env, (value) => emit(assign(input, env, value, new Owned())))
  return updating(run, (input, env, owned, emit) => {
    const values: Json[] = []
    right.run(input, env, (value) => {
      values.push(value)
    })
    const [value] = values
    const isShared = !isOther && typeof value === 'object' && value !== null
    // Each output of the right side has a result of its own.
    if (values.length !== 1 || value === undefined || isShared) owned.clear()
    if (values.length === 1 && value !== undefined) emit(assign(input, env, value, owned))
    else for (const one of values) emit(assign(input, env, one, new Owned()))
  })
}

const updating = (run: Code['run'], change: NonNullable<Code['update']>): Code => ({
  ...valueCode(run),
  update: change,
})

/** `. + x`: into what is owned. */
export function addTo(right: Code, isOther: boolean, account: Account): NonNullable<Code['update']> {
  return (input, env, owned, emit) => {
    const values: Json[] = []
    right.run(input, env, (value) => {
      values.push(value)
    })
    if (values.length !== 1 || !isOther) owned.clear()
    for (const value of values) {
      if (appendInPlace(input, value, owned)) {
        emit(input)
        continue
      }
      const sum = checkText(add(input, value), account)
      if (values.length === 1 && sum !== input && sum !== value && typeof sum === 'object' && sum !== null)
        owned.add(sum)
      emit(sum)
    }
  }
}

export function updateOfPipe(left: Code, right: Code): Pick<Code, 'update'> {
  const first = left.update
  const second = right.update
  if (first === undefined || second === undefined) return {}
  return {
    update: (input, env, owned, emit) => first(input, env, owned, (value) => second(value, env, owned, emit)),
  }
}

export function updateOfIf(test: Code, yes: Code, no: Code): Pick<Code, 'update'> {
  const first = yes.update
  const second = no.update
  if (first === undefined || second === undefined) return {}
  return {
    update(input, env, owned, emit) {
      const answers: Json[] = []
      test.run(input, env, (answer) => {
        answers.push(answer)
      })
      if (answers.length !== 1) owned.clear()
      for (const answer of answers) {
        if (answers.length > 1) (isTruthy(answer) ? yes : no).run(input, env, emit)
        else (isTruthy(answer) ? first : second)(input, env, owned, emit)
      }
    },
  }
}

/** The first output at each path; without one the path is deleted. */
function update(
  input: Json,
  paths: Json[][],
  owned: Owned,
  step: () => void,
  change: (value: Json, use: Emit) => void,
): Json {
  let result = input
  for (const path of paths) {
    step()
    const done = new Label()
    let next: Json | undefined
    const old = getPath(result, path)
    if (owned.has(old)) owned.clear()
    try {
      change(old, (value) => {
        next = value
        throw new Break(done)
      })
    } catch (error) {
      if (!(error instanceof Break) || error.label !== done) throw error
    }
    if (next !== undefined) result = setPath(result, path, next, owned)
    else {
      result = deletePaths(result, [path])
      owned.clear()
    }
  }
  return result
}
