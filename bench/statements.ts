const columns = 'id, sold_at, region, product, channel, units, amount, note';

/** What both servers run, with one parameter each. */
export const statements = {
  one: `select ${columns} from sales where id = @Id`,
  page: `select ${columns} from sales where region = @Region order by id limit 1000`,
  keyset: `select ${columns} from sales where id > @Id order by id limit 1000`,
};

/** What only Sluice runs, since it pages and exports by itself. */
export const everything = `select ${columns} from sales order by id`;
export const tenth = `select ${columns} from sales where id <= 100000 order by id`;
