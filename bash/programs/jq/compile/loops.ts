/** `reduce` and `foreach`. */
import type { Node } from '../syntax.js'
import type { Json } from '../values.js'
import type { Code, JqContext } from './code.js'
import { identity, valueCode } from './code-parts.js'
import { Owned } from './owned.js'
import { destructure } from './patterns.js'
import type { Compile, Scope } from './scope.js'
import { changed, collected, hasStream } from './stream.js'

export function compileReduce(
  node: Node & { kind: 'reduce' },
  scope: Scope | undefined,
  compile: Compile,
  context: JqContext,
): Code {
  const source = compile(node.source, scope)
  const start = compile(node.start, scope)
  const canOwn = node.patterns.length === 1
  const body = destructure(
    node.patterns,
    scope,
    (inner): Code => {
      const code = compile(node.update, inner)
      return canOwn ? code : { run: code.run, paths: code.paths }
    },
    compile,
  )
  return valueCode((input, env, emit) =>
    start.run(input, env, (first) => {
      const owned = new Owned(context.account)
      let state = first
      source.run(input, env, (value) => {
        context.step()
        body(value, input, env, (code, inner) => {
          let last: Json = null
          const use = (next: Json) => {
            last = next
          }
          if (code.update !== undefined) code.update(state, inner, owned, use)
          else code.run(state, inner, use)
          state = last
        })
      })
      emit(state)
      owned.giveBack()
    }),
  )
}

export function compileForeach(
  node: Node & { kind: 'foreach' },
  scope: Scope | undefined,
  compile: Compile,
  context: JqContext,
): Code {
  const source = compile(node.source, scope)
  const start = compile(node.start, scope)
  const body = destructure(
    node.patterns,
    scope,
    (inner) => {
      const update = compile(node.update, inner)
      const extract = node.extract === undefined ? identity : compile(node.extract, inner)
      return { ...update, extract }
    },
    compile,
  )
  const code = valueCode((input, env, emit) =>
    start.run(input, env, (first) => {
      let state = first
      source.run(input, env, (value) => {
        context.step()
        body(value, input, env, (code, inner) =>
          code.run(state, inner, (next) => {
            state = next
            code.extract.run(next, inner, emit)
          }),
        )
      })
    }),
  )
  if (!hasStream(source) || node.patterns.length > 1) return code
  return {
    ...code,
    stream: (input, env) =>
      changed(start, input, env, (first) => {
        let state = first
        return changed(source, input, env, (value) => {
          context.step()
          return collected((emit) =>
            body(value, input, env, (code, inner) =>
              code.run(state, inner, (next) => {
                state = next
                code.extract.run(next, inner, emit)
              }),
            ),
          )
        })
      }),
  }
}
