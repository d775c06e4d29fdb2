// Scripts that declare, assign, read and delete globals of contexts, in random order, and what is left after each.
const vm = require('node:vm')
let state = Number(process.argv[2]) || 1
const count = Number(process.argv[3]) || 100
const below = (limit) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0
  return (state >>> 8) % limit
}
const one = (list) => list[below(list.length)]
const names = ['a', 'b', 'c', 'Array', 'escape']
const shown = (value) => (typeof value === 'function' ? 'function ' + value() : JSON.stringify(value))
const scripts = [
  (name, at) => `var ${name} = ${at}`,
  (name, at) => `${name} = ${at}`,
  (name, at) => `var ${name} = ${at}, plus${name} = ${name} + 1; if (true) { var ${name}Inside = plus${name} }`,
  (name, at) => `function ${name}() { return ${at} }`,
  (name) => `typeof ${name}`,
  (name) => `typeof ${name} === 'number' ? ++${name} : 'none'`,
  (name, at) => `let hidden${at} = ${at}; typeof ${name} + hidden${at}`,
  (name, at) => `globalThis.${name} = ${at}; this.${name}`,
  (name) => `'${name}' in globalThis`,
  (name, at) => `(() => { 'use strict'; try { ${name}Missing = ${at} } catch (error) { return error.name } })()`,
  (name, at) =>
    `Object.defineProperty(globalThis, '${name}Fixed', { value: ${at}, configurable: true }); typeof ${name}Fixed`,
]
for (let run = 0; run < count; run += 1) {
  const object = { given: run }
  vm.createContext(object)
  for (let at = 0; at < 6; at += 1) {
    const name = one(names)
    const kind = below(10)
    let line
    try {
      if (kind === 0) line = 'outside ' + (object[name] = at)
      else {
        const script = one(scripts)(name, at)
        line = script + ' → ' + shown(vm.runInContext(script, object))
      }
    } catch (error) {
      line = error.name + ': ' + error.message
    }
    const left = Object.keys(object)
      .sort()
      .map((key) => key + '=' + shown(object[key]))
    console.log(run, line, left.join(' '))
  }
}
