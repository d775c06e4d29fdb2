/**
 * Compiles kernels.simd to WebAssembly: functions over numbers (`i32`, unsigned) and vectors (`v128`), with `let`, assignment, `if`, `while`,
 * `return`, and every instruction of the table as a call. `build/build.mjs` writes the result to code.ts.
 */
export function kernelModule(source) {
  const code = Buffer.from(compileKernels(source)).toString('base64')
  return `/** Made of kernels.simd by the build. */\nexport const code =\n  '${code}'\n`
}

export function compileKernels(source) {
  const functions = parse(source)
  const types = functions.map(({ parameters, result }) => [
    0x60,
    ...list(parameters.map(({ type }) => [valueTypes[type]])),
    1,
    valueTypes[result],
  ])
  const sections = [
    [1, list(types)],
    [2, list([[...name('env'), ...name('memory'), 2, 0, 1]])],
    [3, list(functions.map((_, i) => [i]))],
    [7, list(functions.map((each, i) => [...name(each.name), 0, i]))],
    [10, list(functions.map((each) => sized(body(each, functions))))],
  ]
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...sections.flatMap(([id, content]) => [id, ...sized(content)]),
  ])
}

const valueTypes = { i32: 0x7f, v128: 0x7b }

/** By name: operand types, result type, bytes. The bytes of those that access memory end with alignment and offset. */
const instructions = {
  'i32.load8_u': ['i', 'i32', 0x2d, 0, 0],
  'i32.load': ['i', 'i32', 0x28, 2, 0],
  'i32.store': ['ii', undefined, 0x36, 2, 0],
  'i32.ctz': ['i', 'i32', 0x68],
  'i32.clz': ['i', 'i32', 0x67],
  'v128.load': ['i', 'v128', 0xfd, 0x00, 0, 0],
  'v128.store': ['iv', undefined, 0xfd, 0x0b, 0, 0],
  'v128.and': ['vv', 'v128', 0xfd, 0x4e],
  'v128.or': ['vv', 'v128', 0xfd, 0x50],
  'v128.any_true': ['v', 'i32', 0xfd, 0x53],
  'i8x16.swizzle': ['vv', 'v128', 0xfd, 0x0e],
  'i8x16.splat': ['i', 'v128', 0xfd, 0x0f],
  'i8x16.eq': ['vv', 'v128', 0xfd, 0x23],
  'i8x16.ne': ['vv', 'v128', 0xfd, 0x24],
  'i8x16.bitmask': ['v', 'i32', 0xfd, 0x64],
  'i8x16.shr_u': ['vi', 'v128', 0xfd, 0x6d],
  'i8x16.sub': ['vv', 'v128', 0xfd, 0x71],
  'i16x8.extadd_pairwise_i8x16_u': ['v', 'v128', 0xfd, 0x7d],
  'i32x4.extadd_pairwise_i16x8_u': ['v', 'v128', 0xfd, 0x7f],
  'i32x4.extract_lane_0': ['v', 'i32', 0xfd, 0x1b, 0],
  'i32x4.extract_lane_1': ['v', 'i32', 0xfd, 0x1b, 1],
  'i32x4.extract_lane_2': ['v', 'i32', 0xfd, 0x1b, 2],
  'i32x4.extract_lane_3': ['v', 'i32', 0xfd, 0x1b, 3],
}

/** Precedence and instruction; `&&` has none. */
const operators = {
  '&&': [1],
  '|': [2, 0x72],
  '&': [3, 0x71],
  '==': [4, 0x46],
  '!=': [4, 0x47],
  '<': [5, 0x49],
  '>': [5, 0x4b],
  '<=': [5, 0x4d],
  '>=': [5, 0x4f],
  '<<': [6, 0x74],
  '>>': [6, 0x76],
  '+': [7, 0x6a],
  '-': [7, 0x6b],
}

function parse(source) {
  const tokens = source.replace(/\/\/.*/g, '').match(/0x[\da-f]+|\d+|[A-Za-z_][\w.]*|&&|<<|>>|[=!<>]=|[-+&|<>=(){}:,]/g)
  let at = 0
  const next = () => tokens[at++]
  const accept = (token) => tokens[at] === token && next() === token
  function expect(token) {
    if (!accept(token)) throw new Error(`kernels: expected ${token} and not ${tokens.slice(at, at + 8).join(' ')}`)
  }

  function listOf(item) {
    const items = []
    expect('(')
    while (!accept(')')) {
      if (items.length > 0) expect(',')
      items.push(item())
    }
    return items
  }

  function typed() {
    const named = next()
    expect(':')
    return { name: named, type: next() }
  }

  function block() {
    const statements = []
    expect('{')
    while (!accept('}')) statements.push(statement())
    return statements
  }

  function statement() {
    if (accept('return')) return { kind: 'return', value: expression() }
    if (accept('while')) return { kind: 'while', condition: expression(), body: block() }
    if (accept('if'))
      return { kind: 'if', condition: expression(), body: block(), otherwise: accept('else') ? block() : [] }
    const isNew = accept('let')
    const target = next()
    if (tokens[at] === '(') return { kind: 'call', name: target, given: listOf(expression) }
    expect('=')
    return { kind: 'set', isNew, name: target, value: expression() }
  }

  function expression(binding = 0) {
    let left = operand()
    for (let operator = tokens[at]; operators[operator]?.[0] > binding; operator = tokens[at]) {
      next()
      left = { kind: 'operator', operator, left, right: expression(operators[operator][0]) }
    }
    return left
  }

  function operand() {
    if (accept('-')) return { kind: 'number', value: -Number(next()) }
    if (accept('(')) {
      const inner = expression()
      expect(')')
      return inner
    }
    const token = next()
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) }
    return tokens[at] === '(' ? { kind: 'call', name: token, given: listOf(expression) } : { kind: 'name', name: token }
  }

  const functions = []
  while (at < tokens.length) {
    expect('export')
    expect('function')
    const named = next()
    const parameters = listOf(typed)
    expect(':')
    functions.push({ name: named, parameters, result: next(), body: block() })
  }
  return functions
}

/** A function's locals and instructions. */
function body({ name: own, parameters, result, body: statements }, functions) {
  const types = new Map(parameters.map((each) => [each.name, each.type]))
  const locals = [...types.keys()]
  const code = [...block(statements), 0x00, 0x0b]
  const declared = locals.slice(parameters.length).map((each) => [1, valueTypes[types.get(each)]])
  return [...list(declared), ...code]

  function block(inner) {
    return inner.flatMap(statement)
  }

  function statement(each) {
    if (each.kind === 'return') return [...value(each.value, result), 0x0f]
    if (each.kind === 'while') {
      return [
        0x02,
        0x40,
        0x03,
        0x40,
        ...value(each.condition, 'i32'),
        0x45,
        0x0d,
        1,
        ...block(each.body),
        0x0c,
        0,
        0x0b,
        0x0b,
      ]
    }
    if (each.kind === 'if') {
      const otherwise = each.otherwise.length === 0 ? [] : [0x05, ...block(each.otherwise)]
      return [...value(each.condition, 'i32'), 0x04, 0x40, ...block(each.body), ...otherwise, 0x0b]
    }
    if (each.kind === 'call') return compile(each).code
    const { type, code: made } = compile(each.value)
    if (each.isNew && !types.has(each.name)) {
      types.set(each.name, type)
      locals.push(each.name)
    }
    if (types.get(each.name) !== type) throw new Error(`kernels: ${own}: ${each.name} is no ${type}`)
    return [...made, 0x21, ...unsigned(locals.indexOf(each.name))]
  }

  function value(expression, wanted) {
    const { type, code: made } = compile(expression)
    if (type !== wanted) throw new Error(`kernels: ${own}: ${JSON.stringify(expression)} is no ${wanted}`)
    return made
  }

  function compile(expression) {
    if (expression.kind === 'number') return { type: 'i32', code: [0x41, ...signed(expression.value | 0)] }
    if (expression.kind === 'name') {
      const type = types.get(expression.name)
      if (type === undefined) throw new Error(`kernels: ${own}: what is ${expression.name}?`)
      return { type, code: [0x20, ...unsigned(locals.indexOf(expression.name))] }
    }
    if (expression.kind === 'operator') {
      const left = value(expression.left, 'i32')
      const right = value(expression.right, 'i32')
      if (expression.operator === '&&')
        return { type: 'i32', code: [...left, 0x04, 0x7f, ...right, 0x05, 0x41, 0, 0x0b] }
      return { type: 'i32', code: [...left, ...right, operators[expression.operator][1]] }
    }
    const { takes, type, code: call } = callee(expression.name)
    if (takes.length !== expression.given.length)
      throw new Error(`kernels: ${own}: ${expression.name} takes ${takes.length}`)
    return { type, code: [...expression.given.flatMap((given, i) => value(given, takes[i])), ...call] }
  }

  function callee(called) {
    const index = functions.findIndex((each) => each.name === called)
    if (index >= 0) {
      const { parameters: taken, result: type } = functions[index]
      return { takes: taken.map((each) => each.type), type, code: [0x10, ...unsigned(index)] }
    }
    if (!(called in instructions)) throw new Error(`kernels: ${own}: what is ${called}?`)
    const [takes, type, ...bytes] = instructions[called]
    return { takes: [...takes].map((letter) => (letter === 'v' ? 'v128' : 'i32')), type, code: bytes }
  }
}

function list(items) {
  return [...unsigned(items.length), ...items.flat()]
}

function sized(content) {
  return [...unsigned(content.length), ...content]
}

function name(text) {
  return sized([...new TextEncoder().encode(text)])
}

function unsigned(number) {
  return number < 128 ? [number] : [(number & 127) | 128, ...unsigned(number >>> 7)]
}

function signed(number) {
  const low = number & 127
  const rest = number >> 7
  const isLast = (rest === 0 && low < 64) || (rest === -1 && low >= 64)
  return isLast ? [low] : [low | 128, ...signed(rest)]
}
