/** What connects a stream that is read with one that is written. */
'use strict'
$polyfs.internal.define('internal/stream-pipe', ({ builtin, internal }) => {
  const base = builtin('internal/stream-base')
  const readable = builtin('internal/stream-readable')

  readable.pipe = function pipe(source, target, options) {
    const state = source._readableState
    if (state.pipes.length === 1 && !state.multiAwaitDrain) {
      state.multiAwaitDrain = true
      state.awaitDrainWriters = new Set(state.awaitDrainWriters ? [state.awaitDrainWriters] : [])
    }
    state.pipes.push(target)
    const ends = options?.end !== false && target !== process.stdout && target !== process.stderr
    const unpipe = () => source.unpipe(target)
    const end = ends ? () => target.end() : unpipe
    if (state.endEmitted) internal.nextTick(end)
    else source.once('end', end)
    let onDrain
    let isClean = false
    target.on('unpipe', onUnpipe)
    function onUnpipe(stream, info) {
      if (stream !== source || info?.hasUnpiped !== false) return
      info.hasUnpiped = true
      cleanUp()
    }
    function cleanUp() {
      target.removeListener('close', onClose)
      target.removeListener('finish', onFinish)
      if (onDrain) target.removeListener('drain', onDrain)
      target.removeListener('error', onError)
      target.removeListener('unpipe', onUnpipe)
      source.removeListener('end', end)
      source.removeListener('data', onData)
      isClean = true
      if (onDrain && state.awaitDrainWriters && (!target._writableState || target._writableState.needDrain)) onDrain()
    }
    function pause() {
      if (!isClean) {
        if (state.pipes.length === 1 && state.pipes[0] === target) {
          state.awaitDrainWriters = target
          state.multiAwaitDrain = false
        } else if (state.pipes.length > 1 && state.pipes.includes(target)) state.awaitDrainWriters.add(target)
        source.pause()
      }
      if (onDrain) return
      onDrain = () => {
        if (state.awaitDrainWriters === target) state.awaitDrainWriters = null
        else if (state.multiAwaitDrain) state.awaitDrainWriters.delete(target)
        if ((!state.awaitDrainWriters || state.awaitDrainWriters.size === 0) && source.listenerCount('data') > 0)
          source.resume()
      }
      target.on('drain', onDrain)
    }
    source.on('data', onData)
    function onData(chunk) {
      if (target.write(chunk) === false) pause()
    }
    function onError(error) {
      unpipe()
      target.removeListener('error', onError)
      if (target.listenerCount('error') > 0) return
      const own = target._writableState || target._readableState
      if (own && !own.errorEmitted) base.errorOrDestroy(target, error)
      else target.emit('error', error)
    }
    target.prependListener('error', onError)
    function onClose() {
      target.removeListener('finish', onFinish)
      unpipe()
    }
    target.once('close', onClose)
    function onFinish() {
      target.removeListener('close', onClose)
      unpipe()
    }
    target.once('finish', onFinish)
    target.emit('pipe', source)
    if (target.writableNeedDrain === true) pause()
    else if (!state.flowing) source.resume()
    return target
  }
})
