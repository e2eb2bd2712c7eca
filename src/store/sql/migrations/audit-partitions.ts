import type { Migration } from './migration.ts';

/**
 * Divides the audit table of PostgreSQL by months, see docs/adr/0044. The existing table becomes the partition of everything before a month.
 * For that, a large table has to be read once; housekeeping does so later, without a lock that others wait for.
 */
export const auditPartitions: Migration = {
  name: '0016-audit-partitions',
  only: 'postgres',
  statements: () => [monthOf, partitionsOf, addMonth, dropMonth, partition, 'select partition_audit()'],
};

const ADVISORY_LOCK = 7_305_118; // any number that nothing else uses
const READ_AT_ONCE_BYTES = 100 * 2 ** 20;
const DAY_MS = 86_400_000;

/** While one of these functions waits for a lock, calls that write an entry wait behind it. */
const BRIEFLY = "set lock_timeout = '200ms'";

/** The first millisecond of a month (UTC). */
const monthOf = `create function audit_month(of_at bigint, months_later integer) returns bigint language sql stable as $$
  select extract(epoch from date_trunc('month', to_timestamp(of_at / 1000.0) at time zone 'UTC')
    + make_interval(months => months_later))::bigint * 1000
$$`;

/** No lower bound: the partition has everything before. */
const partitionsOf = `create function audit_partitions() returns table (name text, first_at bigint, next_at bigint)
language sql stable set search_path from current as $$
  select relname::text, substring(bound from 'FROM \\(''(-?\\d+)''\\)')::bigint, substring(bound from 'TO \\(''(-?\\d+)''\\)')::bigint
  from pg_inherits join pg_class on pg_class.oid = inhrelid, pg_get_expr(relpartbound, pg_class.oid) as bound
  where inhparent = to_regclass('audit')
$$`;

/** Attaching a table does not wait for writers; creating it as a partition would. */
const addMonth = `create function add_audit_month(of_at bigint) returns void language plpgsql set search_path from current as $$
declare
  month_at constant bigint := audit_month(of_at, 0);
  table_name constant text := 'audit_' || to_char(to_timestamp(month_at / 1000.0) at time zone 'UTC', 'YYYY_MM');
begin
  for attempt in 1..2 loop
    if exists (select from audit_partitions() as p where coalesce(p.first_at <= of_at, true) and of_at < p.next_at) then
      return;
    end if;
    perform pg_advisory_xact_lock(${ADVISORY_LOCK});
  end loop;
  if (select relkind from pg_class where oid = to_regclass('audit')) <> 'p' then
    alter table audit drop constraint if exists audit_until; -- preparing took longer than expected and starts again
    return;
  end if;
  execute format('create table %I (like audit, primary key (seq))', table_name);
  execute format('alter table audit attach partition %I for values from (%s) to (%s)', table_name, month_at, audit_month(of_at, 1));
end $$`;

/** In one transaction, so that no entry can be added to a month between the check and its end. */
const dropMonth = `create function drop_audit_month(of_name text, only_if_empty boolean) returns boolean
language plpgsql set search_path from current ${BRIEFLY} as $$
declare
  has_entries boolean;
begin
  for attempt in 1..2 loop -- without the lock first
    if attempt = 2 then
      lock table audit in access exclusive mode;
    end if;
    if not exists (select from audit_partitions() as p where p.name = of_name) then
      return false;
    end if;
    if only_if_empty then
      execute format('select (select 1 from %I order by at limit 1) is not null', of_name) into has_entries;
      if has_entries then
        return false;
      end if;
    end if;
  end loop;
  execute format('drop table %I', of_name);
  return true;
exception when lock_not_available then
  return false;
end $$`;

/** Returns 'partitioned', 'unvalidated' if the constraint has to be validated first, or 'busy'. */
const partition = `create function partition_audit() returns text language plpgsql set search_path from current ${BRIEFLY} as $$
declare
  moment constant bigint := extract(epoch from clock_timestamp()) * 1000;
  is_small boolean;
  is_valid boolean;
  until bigint;
  next_seq bigint;
  part text;
begin
  perform pg_advisory_xact_lock(${ADVISORY_LOCK});
  if (select relkind from pg_class where oid = to_regclass('audit')) = 'p' then
    return 'partitioned';
  end if;
  is_small := pg_table_size('audit') < ${READ_AT_ONCE_BYTES};
  select substring(pg_get_constraintdef(oid) from '\\d+')::bigint, convalidated into until, is_valid
    from pg_constraint where conrelid = to_regclass('audit') and conname = 'audit_until';
  if not is_small and (until is null or until < moment + ${DAY_MS}) then
    select audit_month(greatest(moment, max(at)), 2) into until from audit;
    alter table audit drop constraint if exists audit_until;
    execute format('alter table audit add constraint audit_until check (at < %s) not valid', until);
    return 'unvalidated';
  end if;
  if not is_small and not is_valid then
    return 'unvalidated';
  end if;

  lock table audit in access exclusive mode;
  if until is null then
    select audit_month(greatest(moment, max(at)), 1) into until from audit;
  end if;
  execute format('select last_value + is_called::integer from %s', pg_get_serial_sequence('audit', 'seq')) into next_seq;
  alter table audit rename to audit_earlier;
  alter table audit_earlier alter column seq drop identity;
  foreach part in array array['at', 'request', 'query', 'user'] loop
    execute format('alter index %I rename to %I', 'audit_' || part, 'audit_earlier_' || part);
  end loop;
  create table audit (like audit_earlier including defaults) partition by range (at);
  create sequence audit_seq owned by audit.seq;
  perform setval('audit_seq', next_seq, false);
  alter table audit alter column seq set default nextval('audit_seq');
  create index audit_at on audit (at, seq);
  create index audit_request on audit (request_id);
  create index audit_query on audit (query, at, seq);
  create index audit_user on audit (user_key, at, seq);
  if exists (select from audit_earlier) then
    execute format('alter table audit attach partition audit_earlier for values from (minvalue) to (%s)', until);
    alter table audit_earlier drop constraint if exists audit_until;
  else
    drop table audit_earlier;
  end if;
  perform add_audit_month(audit_month(moment, later)) from generate_series(0, 2) as later;
  return 'partitioned';
exception when lock_not_available then
  return 'busy';
end $$`;
