/** Names of columns for a table that `.import` makes: those that occur twice get a number. */

import { run } from '../shell/execute.js'
import { query } from '../shell/query.js'
import type { ShellState } from '../shell/state.js'

/** The rules are those of the original, which has them in SQL. */
const make = `CREATE TABLE ColNames( cpos INTEGER PRIMARY KEY, name TEXT, nlen INT, chop INT, reps INT, suff TEXT);
CREATE VIEW RepeatedNames AS SELECT DISTINCT t.name FROM ColNames t WHERE t.name COLLATE NOCASE IN (
 SELECT o.name FROM ColNames o WHERE o.cpos<>t.cpos);`
const fill = `INSERT INTO ColNames(name,nlen,chop,reps,suff)
 VALUES(iif(length(?1)>0,?1,'?'),max(length(?1),1),0,0,'')`
const hasRepeated = `SELECT count(DISTINCT (substring(name,1,nlen-chop)||suff) COLLATE NOCASE) <count(name) FROM ColNames`
const digits = 'SELECT CAST(ceil(log(count(*)+0.5)) AS INT) FROM ColNames'
const count = `UPDATE ColNames AS t SET reps=(SELECT count(*) FROM ColNames d
 WHERE substring(t.name,1,t.nlen-t.chop)=substring(d.name,1,d.nlen-d.chop) COLLATE NOCASE)`
const rename = `WITH Lzn(nlz) AS ( SELECT 0 AS nlz UNION SELECT nlz+1 AS nlz FROM Lzn WHERE EXISTS(
 SELECT 1 FROM ColNames t, ColNames o WHERE
 iif(t.name IN (SELECT * FROM RepeatedNames),
  printf('%s_%s', t.name, substring(printf('%.*c%0.*d',nlz+1,'0',$1,t.cpos),2)), t.name) =
 iif(o.name IN (SELECT * FROM RepeatedNames),
  printf('%s_%s', o.name, substring(printf('%.*c%0.*d',nlz+1,'0',$1,o.cpos),2)), o.name)
 COLLATE NOCASE AND o.cpos<>t.cpos GROUP BY t.cpos)
) UPDATE Colnames AS t SET chop = 0, suff = iif(name IN (SELECT * FROM RepeatedNames),
 printf('_%s', substring(printf('%.*c%0.*d',(SELECT max(nlz) FROM Lzn)+1,'0',1,t.cpos),2)), '')`
const collect = `SELECT '('||x'0a' || group_concat( cname||' TEXT', ','||iif((cpos-1)%4>0, ' ', x'0a'||' ')) ||')' AS ColsSpec
FROM ( SELECT cpos, printf('"%w"',printf('%!.*s%s', nlen-chop,name,suff)) AS cname FROM ColNames ORDER BY cpos)`
const renames = `SELECT group_concat( printf('"%w" to "%w"',name,printf('%!.*s%s', nlen-chop, name, suff)), ','||x'0a')
FROM ColNames WHERE suff<>'' OR chop!=0`

export interface AutomaticColumns {
  /** With its parentheses. */
  definition: string
  renamed: string | undefined
}

/** `handle`: an empty database for it alone. */
export function automaticColumns(state: ShellState, handle: number, names: readonly string[]): AutomaticColumns {
  const value = (sql: string, values: readonly string[] = []) => query(state, handle, sql, values).rows[0]?.[0]
  run(state, handle, make)
  for (const name of names) value(fill, [name])
  const isRepeated = value(hasRepeated) === '1'
  if (isRepeated) {
    const width = value(digits) ?? '0'
    value(count)
    value(rename, [width])
  }
  return { definition: value(collect) ?? '', renamed: isRepeated ? value(renames) : undefined }
}
