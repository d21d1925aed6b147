import { expect, it } from 'vitest';
import { openTestEngine } from './engine-fixture';
import { sequenceKey } from './record-row';
import { INDEX_SCHEMA, migrate } from './schema';
import { sql } from './sql';

it('an index of version 1 gets groups for unknown errors, current failure texts, and key columns', async () => {
  const database = await openTestEngine();
  const groups = [
    ['0x…', `0xDEADBEEF${'0'.repeat(64)}`, '0xdeadbeef'],
    ['0x…', '0xfeedbeef', '0xfeedbeef'],
    ['0x…', '0x12', '0x…'],
    ['Panic 0x…', 'Panic 0x11', 'Panic 0x…'],
    ['InsufficientGas', 'InsufficientGas', 'InsufficientGas'],
    ['The service gives no reason', 'The service gives no reason', 'No reason logged'],
    ['No return data: often out of gas', 'No return data: often out of gas', 'Reverted without data'],
    ['Hash: 0x……#', 'Hash: 0x6902…3586', 'Hash: 0x…'],
    ['Hash: 0x…...3a#b was lost', 'Hash: 0x6902...3a5b was lost', 'Hash: 0x… was lost'],
    ['got [#, #, #, …]', 'got [12, 34, 56, …]', 'got […]'],
    ['got [#, #', 'got [12, 34', 'got […]'],
  ];
  await database.write(async (session) => {
    await session.run('delete from schema_version');
    await session.run('insert into schema_version values (1)');
    for (const [at, [group, text]] of groups.entries()) {
      await session.run(
        sql`insert into requests (id, keeper_id, network_id, chain_name, sequence, created_us, state, gas_limit, gas_used,
           failure, failure_text, wire, first_seen_us, last_seen_us, visible_us, rev)
         values (gen_random_uuid(), 1, '1', '', 18446744073709551615, ${at}, 'failed', 400, 100, ${group ?? ''}, ${text ?? ''}, '{}', 0, 0, 0, 1)`,
      );
    }
  });
  await migrate(database);
  const rows = await database.all<{ failure: string }>('select failure from requests order by created_us');
  expect(rows.map(({ failure }) => failure)).toEqual(groups.map(([, , group]) => group));
  const keys = await database.all('select distinct sequence64, gas_share from requests');
  expect(keys).toEqual([{ sequence64: sequenceKey('18446744073709551615'), gas_share: 0.25 }]);
  expect(await database.all('select version from schema_version')).toEqual([
    { version: INDEX_SCHEMA.length },
  ]);
  await database.close();
});

it('an object that looks like SQL is bound as a value', () => {
  const stranger = { texts: ['drop table requests'], values: [] } as never;
  expect(sql`select ${stranger}`.texts).toEqual(['select ', '']);
});
