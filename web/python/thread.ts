/** The thread that runs Python in a page: a worker of the frame. It gets what it needs, and one port after the other to shells. */
import { SystemFailure } from '../../bash/programs/python/thread/errno.js'
import { servePython } from '../../bash/programs/python/thread/serve-python.js'
import { sleeping, suspending } from '../../bash/programs/python/thread/waiting.js'
import type { PythonAnswer, PythonThreadGiven, ToPython } from '../../bash/programs/python/wire.js'
import type { ToThread } from '../room/messages.js'

let given: PythonThreadGiven | undefined

addEventListener('message', ({ data }: MessageEvent<ToThread<PythonThreadGiven>>) => {
  if (data.kind === 'connect') connect(data.port)
  else if (given === undefined) given = data.given
  else Object.assign(given, data.given)
})

function connect(port: MessagePort): void {
  if (given === undefined) return
  let answered: (answer: PythonAnswer) => void = () => {}

  const handle = servePython(given, (message) => port.postMessage(message), {
    waiting: (_run, post) =>
      suspending(async ({ name, given }) => {
        const answer = new Promise<PythonAnswer>((resolve) => {
          answered = resolve
        })
        post({ kind: 'ask', name, given })
        const found = await answer
        if ('error' in found) throw new SystemFailure(found.error)
        return found.bytes === undefined ? found.value : found
      }),
    alone: sleeping,
    room: (bytes) => new ArrayBuffer(bytes),
  })
  port.onmessage = ({ data }: MessageEvent<ToPython>) => {
    if (data.kind === 'answer') answered(data.answer)
    else handle(data)
  }
}
