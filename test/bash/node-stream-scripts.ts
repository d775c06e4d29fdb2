/** Prints all events in their order. */
const start = `const { Readable, Writable, Transform, Duplex, PassThrough, pipeline, finished, Stream } = require('stream'); const util=require('util')
const log=(...a)=>console.log(...a)
function trace(s,name){for(const e of ['data','end','close','error','finish','readable','drain','pipe','unpipe','pause','resume','prefinish']) { if(e==='readable'||e==='data') continue; s.on(e,(x)=>log(name,e,x instanceof Error?x.message:'')) } return s}`

const scripts: Readonly<Record<string, string>> = {
  'a stream that is read': `const r=trace(new Readable({read(){ this.n=(this.n||0)+1; this.push(this.n<4?'chunk'+this.n:null)}}),'r'); r.on('data',d=>log('data',String(d))); await new Promise(d=>r.on('close',d))`,
  'a stream that is written': `const w=trace(new Writable({highWaterMark:3,write(c,e,cb){log('write',String(c),e);setTimeout(cb,1)}}),'w'); log(w.write('ab'),w.write('cdef'),w.writableLength,w.writableNeedDrain); w.end('x',()=>log('end cb')); await new Promise(d=>w.on('close',d))`,
  'a stream that changes what passes': `const t=trace(new Transform({transform(c,e,cb){cb(null,String(c).toUpperCase())},flush(cb){cb(null,'!')}}),'t'); t.on('data',d=>log('t',String(d))); t.write('a');t.write('b');t.end('c'); await new Promise(d=>t.on('close',d))`,
  'a stream of the old style': `function Old(o){ if(!(this instanceof Old)) return new Old(o); Transform.call(this,o)} util.inherits(Old,Transform); Old.prototype._transform=function(c,e,cb){this.push('<'+c+'>');cb()}
const o=Old({encoding:'utf8'}); o.end('old'); for await (const c of o) log(c)`,
  'a pipeline of slow streams': `const p=trace(new PassThrough({highWaterMark:2}),'p'); const src=trace(Readable.from(['aaa','bbb','ccc']),'src'); const got=[]; const sink=trace(new Writable({highWaterMark:1,write(c,e,cb){got.push(String(c));setImmediate(cb)}}),'sink'); pipeline(src,p,sink,(e)=>log('pipeline',e,got)); await new Promise(d=>sink.on('close',d))`,
  'a pipeline that fails': `const bad=new Transform({transform(c,e,cb){cb(new Error('bad'))}}); pipeline(Readable.from(['x']),bad,new Writable({write(c,e,cb){cb()}}),(e)=>log('pipeline error',e.message)); await new Promise(d=>setTimeout(d,5))`,
  'the end of a stream': `const x=trace(new Readable({read(){}}),'x'); finished(x,(e)=>log('finished',e&&e.code)); x.push('q'); x.destroy(); await new Promise(d=>setTimeout(d,2))`,
  'a write after the end': `const we=new Writable({write(c,e,cb){cb()}}); we.end(); we.write('late',(e)=>log('late',e.code)); we.on('error',e=>log('err',e.code,e.message)); await new Promise(d=>setTimeout(d,2))`,
  'reading some bytes at a time': `const rd=new Readable({read(){}}); rd.push('hello');rd.push('world');rd.push(null); rd.on('readable',()=>{let c;while((c=rd.read(3))!==null)log('read',String(c)); }); rd.on('end',()=>log('rd end')); await new Promise(d=>rd.on('close',d))`,
  operators: `log(await Readable.from([1,2,3,4]).filter(x=>x%2).map(x=>x*2).toArray(), await Readable.from([1,2,3]).reduce((a,b)=>a+b), await Readable.from('abc').take(1).toArray())`,
  'a duplex stream': `const d=new Duplex({read(){this.push('r');this.push(null)},write(c,e,cb){log('dw',String(c));cb()},final(cb){log('final');cb()}}); trace(d,'d'); d.on('data',c=>log('dd',String(c))); d.end('z'); await new Promise(k=>d.on('close',k))`,
  'corked writes': `const cork=new Writable({writev(cs,cb){log('writev',cs.map(c=>String(c.chunk)));cb()}}); cork.cork();cork.write('1');cork.write('2');cork.uncork();cork.end(); await new Promise(k=>cork.on('close',k))`,
  'a null': `try{ new Writable({write(){}}).write(null) }catch(e){log(e.name,e.code,e.message)}`,
  'a wrong chunk': `const ti=new Writable({write(c,e,cb){cb()}}); try{ti.write(5)}catch(e){log(e.code,e.message)}`,
  objects: `const om=new Writable({objectMode:true,write(c,e,cb){log(c);cb()}}); om.end({a:1}); await new Promise(k=>om.on('finish',k))`,
  'the oldest streams': `const leg=new Stream(); leg.readable=true; leg.pipe(new Writable({write(c,e,cb){log('leg',String(c));cb()}})).on('finish',()=>log('leg fin')); leg.emit('data','L'); leg.emit('end'); await new Promise(d=>setTimeout(d,2))`,
  'kinds of streams': `const r = new Readable({ read() {} }), w = new Writable(), t = new Transform(); log(w instanceof Stream, t instanceof Readable, t instanceof Writable, r instanceof Writable, Stream.Readable === Readable, Object.keys(Stream).sort().join())`,
  'a pipeline of functions': `const res=await require('stream/promises').pipeline(Readable.from(['a','b']), async function*(s){for await(const c of s) yield c+c}, async (s)=>{let t='';for await(const c of s)t+=c;return t}); log(res)`,
  'a signal that aborts': `const ac=new AbortController(); const ab=new Readable({read(){},signal:ac.signal}); ab.on('error',e=>log(e.name,e.code)); ac.abort(); await new Promise(d=>setTimeout(d,2))`,
  'a stream that is set up first': `const cns=new Transform({construct(cb){log('construct');setTimeout(cb,1)},transform(c,e,cb){cb(null,c)}}); cns.on('data',c=>log('cns',String(c)));cns.end('after'); await new Promise(k=>cns.on('close',k))`,
  'standard input': `process.stdin.on('data',d=>log('in',d.length)).on('end',()=>log('in end')).on('close',()=>log('in close'))`,
}

/** Each as a file. */
export const streamScripts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(scripts).map(([name, script]) => [name, `${start}\n;(async () => { ${script} })()`]),
)
