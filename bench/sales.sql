-- 1,000,000 rows without random values: the same bytes on every machine.
create table sales (
  id int not null,
  sold_at timestamp not null,
  region text not null,
  product text not null,
  channel text not null,
  units int not null,
  amount numeric(12,2) not null,
  note text
);
insert into sales
select i,
       timestamp '2024-01-01 00:00:00' + (i * 37 % 31536000) * interval '1 second',
       (array['north','south','east','west','center','coast','hills','isles'])[1 + (i::bigint * 7919 % 8)::int],
       'product-' || lpad((i::bigint * 104729 % 500)::text, 3, '0'),
       (array['web','shop','phone','partner'])[1 + (i::bigint * 31 % 4)::int],
       1 + (i::bigint * 6151 % 40)::int,
       ((i::bigint * 48271 % 9999999)::numeric / 100)::numeric(12,2),
       case when i % 5 = 0 then null
            when i % 97 = 0 then E'quote " comma, back\\slash\nline ' || i
            else 'note ' || (i % 1000) || ' for order ' || i end
from generate_series(1, 1000000) i;
alter table sales add primary key (id);
create index sales_region_id on sales (region, id);
