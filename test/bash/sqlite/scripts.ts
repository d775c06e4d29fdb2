/** Scripts that both sqlite3 have to run alike. */
import type { Files } from './same-as-sqlite.js'

const seed = `create table users(id integer primary key, name text not null, age int, city text);
insert into users values(1,'Ann',34,'Oslo'),(2,'Bob',27,'Rome'),(3,'Cid',null,'Oslo'),(4,'Dée "x"',41,'it''s, far');
create table v(a,b,c); insert into v values(1,2.5,x'00ff41'),(null,1e300,'line
two'),(-0.0,1e15,'tab	x'),(9223372036854775807,0.1,''),(123456789012345678.0,1.0/3,'a|b,c');
create index by_city on users(city); create view old as select name from users where age>30;
create trigger tr after insert on v begin select 1; end;`

export const files: Files = {
  'seed.sql': seed,
  'a.csv': 'id,name,qty\n1,"Ann ""x""",3\n2,"multi\nline",4\n3,short\n4,too,many,fields\n',
  'b.csv': '\ufeffa,a,A,,b c\n1,2,3,4,5\r\n6,7,8,9,10\r\n',
  'c.tsv': 'x\ty\n1\t2\n',
  'e.csv': '',
  'q.csv': 'a,b\n"un"quoted,2\n"open,3\n4,5',
  's.sql': 'select 1;\n.print in file\nselect bad;\nselect 2;\n',
  'img.bin': 'bin\0ary',
  'text.db': 'not a database, not a database, not a database',
}

const seeded = (options: string, script: string) =>
  `sqlite3 t.db < seed.sql; sqlite3 ${options} t.db <<'EOF'\n${script}\nEOF\necho "[$?]"`
const modes = 'list csv json column line tabs box table markdown html quote ascii'.split(' ')
const rows = 'select * from users; select * from v; select 1 where 0; select count(*) as n, "x" from users;'

const dotCommands = String.raw`
.tables
.tables %s
.schema
.schema users
.schema --indent
.schema sqlite_master
.schema nope
.schema --nosys
.schema -x
.schema *s
.schema main.v
.indexes
.indexes users
.indices v
.indexes a b
.databases
.dump
.dump users
.dump --data-only
.dump --preserve-rowids v
.dump --nosys --newlines
.dump -zz
.fullschema
.fullschema --indent
.fullschema x
.help
.help mode
.help zzz
.help .import
.help out
.help -all
.show
.changes on\ninsert into users(name) values(1);
.bail on\nselec 1;\nselect 2;
.echo on\nselect 1;\n.print a "b\tc" 'd\te'\n-- comment\nselect\n 2;
.foo
.e
.sep
.mo
.sch
.tab
.ex
.q
.exit 3
.exit
.quit
.nullvalue
.nullvalue X\nselect null;
.separator
.separator , ;\nselect 1,2;
.separator "\t"\nselect 1,2;
.width 10 -5\n.mode column\nselect * from users;
.width
.print
.print a b  c
.headers
.headers on\nselect 1 as a;
.headers foo
.timeout 100
.limit length 1000
.limit foo
.limit l
.eqp on\nselect * from users where city=1;
.explain on\nselect 1;
.parameter
.parameter init\n.parameter set :a 5\n.parameter set $b "'x'"\n.parameter set @c hello\n.parameter list\nselect :a,$b,@c, ?1;\n.parameter unset :a\n.parameter list\n.parameter clear\n.parameter list\nselect :a;
.output o.txt\nselect 1;\n.output\nselect 2;\n.system cat o.txt
.once o.txt\nselect 1;\nselect 2;\n.shell cat o.txt
.output |cat -n\nselect 1;\nselect 2;
.once |tr a-z A-Z\nselect 'abc';\nselect 'abc';
.output /nope/x\nselect 1;
.output a b
.once -z
.read nope
.read
.read |echo "select 5;"
.open
.open u.db\ncreate table z(q);\n.tables\n.databases
.open --new t.db\n.tables
.open --readonly t.db\ninsert into v values(1,2,3);\nselect count(*) from v;
.open nope/x.db\nselect 1;
.save s.db\n.open s.db\n.tables
.save
.backup main b.db\n.open b.db\n.dump
.backup a b c
.backup nodb x.db
.restore nope.db\n.tables
.clone c.db\n.open c.db\n.dump
.clone t.db
.cd /nope
.cd /tmp\n.shell pwd
.import
.import a
.import nope t
.import a b c
.connection
.connection 1\n.open :memory:\n.connection\n.tables\n.connection 0\n.tables
.connection close 0
.changes
.echo
.bail
.log
.prompt a b
.system
.system false
.shell exit 3
.binary on
select length(readfile('img.bin')), readfile('nope');
select writefile('out.txt','hello');\n.shell cat out.txt
select writefile(name, data) from (select 'f1' as name, 'A' as data union select 'f2', 'BB');\n.shell cat f1 f2
create table f(n,d); insert into f values('a.csv',null),('s.sql',null); update f set d=readfile(n); select n,length(d) from f;
`
  .trim()
  .split('\n')
  .map((line) => line.replaceAll('\\n', '\n'))

const modeCommands = [
  ...modes,
  'insert',
  'insert tab',
  'insert "my t"',
  'tcl',
  'qbox',
  'box --wrap 5',
  'column --wrap 4 --ww',
  'table --quote',
  'count',
  'off',
  'foo',
  'col',
  'x y z',
  'box --foo a b --bar',
]

const imports = String.raw`
.import --csv a.csv t\nselect * from t;\n.schema t
.mode csv\n.import a.csv t\nselect * from t;
.import --csv --skip 1 a.csv t\nselect * from t;\n.schema
create table t(a,b,c);\n.import --csv a.csv t\n.mode quote\nselect * from t;
.import --csv b.csv t\nselect * from t;\n.schema
.mode tabs\n.import c.tsv t\nselect * from t;
.separator "\t"\n.import c.tsv t\n.schema
.import --csv e.csv t
.import --csv q.csv t\nselect quote(a),quote(b) from t;
.import --csv -v a.csv t
.import --csv -v -v a.csv t
.import --csv "|echo a,b; echo 1,2" t\nselect * from t;
.import -z a.csv t
.import --csv a.csv t --schema temp\nselect count(*) from temp.t;\n.tables
create table t(a integer primary key, b, c);\n.import --csv a.csv t\nselect * from t;
.mode ascii\n.import a.csv t
.separator ab\n.import a.csv t
`
  .trim()
  .split('\n')
  .map((line) => line.replaceAll('\\n', '\n').replaceAll('\\t', '\\t'))

/** One statement or several, right and wrong ones. */
const statements = String.raw`
selec 1
select * from nope
select nope
insert into t values(1)
select 1,
create table
create table t(a unique); insert into t values(1),(1)
create table t(a primary key, b not null); insert into t values(1,null)
create table t(a check(a>0)); insert into t values(0)
select abs(-9223372036854775808)
select json('{bad')
select 1 union select 1,2
select sum(1,2)
select foo(1)
drop table x
create table t(a); create table t(a)
begin; begin
commit
rollback
savepoint a; release b
attach '/nope/x.db' as y
detach z
pragma foo
pragma table_info(nope)
select * from (select 1
select 'unterminated
select "dq"
select [a b]
select 1;;; select 2
select 'a long statement with its mistake far to the right of where it begins', nope from somewhere_else_that_is_long
-- c
/* x */ select 1
select 1 /* open
vacuum
explain query plan select 1
select 1 as "a b", 2 as [c]
select x'0102'
select x'zz'
select 1e999,-1e999,1e-400
select 5/0, 5%0, 5.0/0
select 9223372036854775807+1
select typeof(9223372036854775808)
select cast('12abc' as int)
select 1 where
values(1,2),(3,4)
with recursive c(x) as (values(1) union all select x+1 from c where x<5) select * from c
select group_concat(x) from (select 1 as x union select 2)
select datetime(0,'unixepoch'), strftime('%Y-%j-%W','2024-05-06')
select printf('%d %s %5.2f %x',1,'a',3.14159,255)
select substr('héllo',2,3), length('héllo'), upper('é'), instr('abc','c')
select 'a' like 'A', 'a' glob 'A', 'abc' regexp 'b.$', 'x' regexp '['
select 'a.b' regexp '^a\.b$', 'x1' regexp '\w\d', 'ab' regexp '(a|c)b+?', 'é' regexp '^.$', null regexp 'a', 'A' regexp '\x41\u0042?'
select sqrt(2), pow(2,10), pi(), ln(10), sin(1)
select json_object('a',1,'b',json_array(1,2.5,null)), json_extract('{"a":[1,2]}','$.a[1]'), '{"x":5}'->>'x'
select row_number() over (order by x desc), x from (select 1 as x union select 3)
create virtual table f using fts5(t); insert into f values('hello world'),('bye'); select * from f where f match 'hello'; select highlight(f,0,'<','>') from f('world')
create virtual table r using rtree(id,a,b); insert into r values(1,0,5); select * from r where a<1
create table t(id integer primary key autoincrement, x); insert into t(x) values(1),(2) returning id,x; select * from sqlite_sequence
create table t(a,b generated always as (a*2)); insert into t(a) values(4); select * from t
create table t(a int) strict; insert into t values('x')
select iif(1,2,3), coalesce(null,4), nullif(1,1), ifnull(null,2)
select quote('it''s'), quote(1.5), quote(x'00'), quote(null)
select soundex('Robert'), soundex(''), soundex('Tymczak'), soundex('Pfister'), soundex('a1b2')
select unicode('€'), char(8364,65), trim('  x '), ltrim('xxa','x')
select max(1,2), min('a','b'), total(1), avg(2)
pragma user_version=5; pragma user_version
pragma journal_mode
pragma journal_mode=memory
pragma foreign_keys
pragma foreign_keys=on; create table p(id integer primary key); create table c(p references p(id)); insert into c values(9)
pragma integrity_check
pragma page_size
pragma cache_size
pragma encoding
pragma secure_delete
pragma synchronous
select 0.1+0.2, 100.0, 1e5, 123456.789e3, 1e-5, 3.0e10
select 1.0/3*3, 2.0/3, 1e22, 1e21, 99999999999999.9, 999999999999999.9
select * from generate_series(1,5,2)
select value from generate_series(5,1,-2)
select value*2 from generate_series(1,9,-3) order by 1
select a.value, b.value from generate_series(1,2) as a, generate_series(a.value,3) as b
`
  .trim()
  .split('\n')

const others = [
  `printf '.read s.sql\nselect 3;\n' | sqlite3 x.db; echo $?; printf '.bail on\n.read s.sql\nselect 3;\n' | sqlite3 x.db; echo $?`,
  `sqlite3 a.db 'create table t(x); insert into t values(1)'; sqlite3 b.db 'create table u(y); insert into u values(2)'
sqlite3 a.db "attach 'b.db' as b; select * from t, b.u; insert into b.u values(3); create table b.n(z);" .databases .tables .schema
sqlite3 b.db 'select * from u' .tables`,
  `sqlite3 a.db "attach 'new.db' as n; create table n.q(a); insert into n.q values(7)"; sqlite3 new.db 'select * from q'; ls`,
  `sqlite3 a.db 'pragma journal_mode=wal; create table t(a); insert into t values(1)'; ls
sqlite3 a.db 'pragma journal_mode; select * from t; insert into t values(2); select count(*) from t'; ls
sqlite3 b.db "attach 'a.db' as a; select * from a.t"
sqlite3 a.db 'pragma journal_mode=delete'; ls`,
  `sqlite3 a.db "create table t(a); insert into t values(1); vacuum into 'v.db'"; sqlite3 v.db 'select * from t'; ls`,
  `sqlite3 a.db 'create table t(a)'; ln -s a.db l.db; sqlite3 l.db 'insert into t values(1)' .databases; ls -l | cut -c1-10; sqlite3 a.db 'select * from t'`,
  `sqlite3 text.db 'select * from t'; echo $?; sqlite3 text.db .tables; echo $?; sqlite3 text.db .dump; echo $?`,
  `mkdir d; sqlite3 d 'create table t(a)'; echo $?; sqlite3 nope/x.db 'create table t(a)'; echo $?; sqlite3 nope/x.db 'select 1'; echo $?`,
  `sqlite3 x.db; echo $?; ls *.db`,
  `sqlite3 x.db ''; echo $?; ls *.db`,
  `sqlite3 x.db 'select 1'; ls -la x.db | cut -c1-10`,
  'sqlite3 x.db .tables; ls *.db',
  `sqlite3 "file:x.db?mode=rwc" 'create table t(a)'; sqlite3 "file:x.db?mode=ro" 'insert into t values(1)'; echo $?`,
  'sqlite3 -bogus x.db; echo $?',
  'sqlite3 -help; echo $?',
  'sqlite3 -separator; echo $?',
  'sqlite3 -init; echo $?',
  'sqlite3 -cmd; echo $?',
  `sqlite3 -cmd '.mode csv' -cmd '.headers on' x.db 'select 1 as a'`,
  `sqlite3 -cmd 'selec' x.db 'select 1'; echo $?`,
  `sqlite3 -bail -cmd 'selec' x.db 'select 1'; echo $?`,
  `sqlite3 -init s.sql x.db 'select 9'; echo $?`,
  `sqlite3 -init nope x.db 'select 9'; echo $?`,
  `sqlite3 -echo x.db 'select 9'; echo 'select 8;' | sqlite3 -echo x.db`,
  `printf 'select bad;\nselect 2;\n' | sqlite3 -bail x.db; echo $?; printf 'select bad;\nselect 2;\n' | sqlite3 x.db; echo $?`,
  `sqlite3 -readonly x.db 'create table t(a)'; echo $?; sqlite3 x.db 'create table t(a)'; sqlite3 -readonly x.db 'insert into t values(1)'; echo $?`,
  `sqlite3 x.db 'select 1' 'select 2' '.print hi' 'select bad' 'select 3'; echo $?`,
  `sqlite3 x.db 'create table t(a); insert into t values(1)' 'begin; insert into t values(2)'; sqlite3 x.db 'select * from t'`,
  `printf 'select 1\n;\nselect\n2\n\n;go\nselect 3\ngo\nselect 4\n/\n' | sqlite3`,
  `printf 'select 1' | sqlite3 :memory:`,
  `printf '#comment\n.print x\n  .print y\nselect 5;' | sqlite3 :memory:`,
  `printf 'create table t(a);\ncreate trigger x after insert on t begin\n select 1;\n select 2;\nend;\nselect 6;\n' | sqlite3 :memory:; echo $?`,
  `sqlite3 t.db < seed.sql; sqlite3 t.db .dump > d.sql; sqlite3 y.db < d.sql; sqlite3 y.db .dump | diff - d.sql && echo same`,
  `sqlite3 x.db "create table t(a); with recursive c(x) as (select 1 union all select x+1 from c where x<1000) insert into t select x from c; select sum(a) from t; delete from t where a%2; select count(*) from t; vacuum; pragma page_count"; sqlite3 x.db 'select count(*) from t'`,
  `sqlite3 x.db "create table t(a); insert into t values('l1
l2'),('it''s'),('cr'||char(13)||'lf'||char(10)),('\\n'),(x'0aff'),(1e308*10),(-1e308*10),(1.5),(3.0),(null)" .dump; sqlite3 x.db -cmd '.mode insert t' 'select * from t'`,
  `printf 'a,b\n1,2' | sqlite3 x.db '.import --csv /dev/stdin t' 'select * from t'`,
  `printf 'a,b\n1,2' | sqlite3 -csv x.db '.import /dev/stdin t' && sqlite3 -header x.db 'select * from t'`,
  `VISUAL='sed -i s/a/Z/' sqlite3 x.db "select edit('abc'), edit('bca')"`,
  `sqlite3 x.db "select edit('abc')"; echo $?`,
  `sqlite3 x.db "select edit('abc', 'false')"; echo $?`,
  `sqlite3 x.db '.headers on' '.mode column' 'select 1 as a, 2 as bb'`,
  `sqlite3 :memory: '.mode json' 'select 1 as a where 0' "select 1.5 as x, null as y, x'41ff' as z"`,
  `sqlite3 :memory: "select datetime('2024-07-01','localtime'), datetime('2024-07-01','utc')"; TZ=America/New_York sqlite3 :memory: "select datetime('2024-07-01','localtime'), datetime('2024-07-01','utc')"`,
  `sqlite3 x.db 'create table t(a real); insert into t values(-9223372036854775808), (9223372036854775808)' .dump`,
  `sqlite3 x.db 'create table "Order"("a" int, "b" integer, "Größe" real, "ü" numeric, "ö" numeric, "xyz" int)' '.schema --indent'`,
  `sqlite3 :memory: '.mode box --wrap 3 --wordwrap on' "select 1 as 'Größe', 'Größe' as c, x'48815628e6974142' as b, 'two words pad ' as d" '.mode table --wrap 5 --wordwrap on' "select 'two words pad ' as d, 'a ', 'abcde fghij'" '.mode column' '.width 3 2' "select 'ä öü' a, x'48815628' b"`,
  `sqlite3 x.db 'create table t(a)'; for i in 1 2 3; do echo "insert into t values($i);"; done | sqlite3 x.db; sqlite3 x.db 'select count(*) from t' | cat -A`,
]

export const scripts: readonly string[] = [
  ...modes.flatMap((mode) => [
    seeded(`-${mode}`, rows),
    seeded(`-${mode} -header -nullvalue NULL`, rows),
    seeded(`-separator "::" -newline ";" -${mode} -noheader`, rows),
  ]),
  ...modeCommands.map((mode) =>
    seeded('', `.mode ${mode}\n.mode\nselect * from users;\n.headers on\nselect * from v;\n.show`),
  ),
  ...dotCommands.map((script) => seeded('', script)),
  ...imports.map((script) => `sqlite3 x.db <<'EOF'\n${script}\nEOF\necho "[$?]"`),
  ...statements.flatMap((text) => [
    `sqlite3 :memory: "$(cat <<'EOF'\n${text}\nEOF\n)"; echo "[$?]"`,
    `sqlite3 x.db <<'EOF'\n${text}\nEOF\necho "[$?]"`,
  ]),
  ...others,
]
