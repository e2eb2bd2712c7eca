-- Demand by month (January first) and its growth by year, the share of returned pieces, the share of the cost in the price.
CREATE TEMP TABLE category_habits AS
FROM (VALUES
  ('Kitchen', 'KIT', [0.95, 0.95, 0.95, 0.95, 1.0, 0.9, 0.9, 0.9, 1.0, 1.05, 1.2, 1.4], 1.00, 0.035, 0.52),
  ('Furniture', 'FUR', [1.2, 1.05, 1.05, 1.0, 1.0, 0.95, 0.95, 0.95, 1.1, 1.05, 0.95, 0.75], 0.95, 0.055, 0.58),
  ('Lighting', 'LIG', [1.1, 1.0, 0.9, 0.8, 0.75, 0.7, 0.7, 0.85, 1.1, 1.3, 1.3, 1.3], 1.02, 0.060, 0.50),
  ('Textiles', 'TEX', [1.15, 1.0, 0.95, 0.9, 0.9, 0.85, 0.85, 0.9, 1.05, 1.15, 1.2, 1.2], 0.99, 0.085, 0.45),
  ('Garden', 'GAR', [0.3, 0.5, 1.2, 1.9, 2.1, 1.8, 1.4, 1.1, 0.8, 0.5, 0.3, 0.3], 1.03, 0.030, 0.54),
  ('Sports & Outdoor', 'SPO', [1.1, 0.8, 1.0, 1.2, 1.3, 1.4, 1.4, 1.1, 0.9, 0.8, 0.8, 1.0], 1.08, 0.075, 0.56),
  ('Electronics', 'ELE', [0.9, 0.85, 0.9, 0.9, 0.9, 0.95, 0.95, 1.05, 1.05, 1.0, 1.5, 1.5], 1.11, 0.080, 0.71),
  ('Toys & Games', 'TOY', [0.6, 0.6, 0.7, 0.8, 0.8, 0.8, 0.9, 0.9, 0.8, 0.9, 1.7, 2.6], 1.04, 0.025, 0.55)
) AS habit (category, prefix, season, yearly_growth, return_rate, cost_share);

CREATE TEMP TABLE ranges AS
FROM (VALUES
  ('Kitchen', 'Cookware', ['Saucepan 16 cm:39', 'Frying Pan 28 cm:49', 'Casserole 4 l:79', 'Wok 30 cm:59']),
  ('Kitchen', 'Knives & Tools', ['Chef''s Knife:69', 'Bread Knife:45', 'Cutting Board:29', 'Salt and Pepper Mills:35']),
  ('Kitchen', 'Tableware', ['Dinner Plates, Set of 4:44', 'Coffee Mug:12', 'Water Glasses, Set of 6:24', 'Serving Bowl:27']),
  ('Kitchen', 'Coffee & Tea', ['French Press:34', 'Pour-over Dripper:22', 'Teapot:38', 'Coffee Grinder:64']),
  ('Furniture', 'Chairs', ['Dining Chair:129', 'Office Chair:249', 'Bar Stool:99', 'Armchair:379']),
  ('Furniture', 'Tables', ['Dining Table:549', 'Coffee Table:199', 'Standing Desk:449', 'Side Table:89']),
  ('Furniture', 'Storage', ['Bookcase:179', 'Sideboard:429', 'Coat Rack:59', 'Wall Shelf:39']),
  ('Lighting', 'Table Lamps', ['Desk Lamp:59', 'Bedside Lamp:42', 'Rechargeable Lamp:79']),
  ('Lighting', 'Ceiling & Floor', ['Pendant Lamp:119', 'Floor Lamp:149', 'Ceiling Spot, Set of 3:89']),
  ('Lighting', 'Bulbs & Candles', ['LED Bulb, Pack of 3:14', 'Scented Candle:19', 'Fairy Lights 10 m:16']),
  ('Textiles', 'Bedding', ['Duvet Cover:69', 'Linen Sheets:95', 'Down Pillow:59']),
  ('Textiles', 'Bath', ['Bath Towel:22', 'Bathrobe:65', 'Bath Mat:25']),
  ('Textiles', 'Living', ['Wool Throw:89', 'Cushion Cover:19', 'Rug 160 × 230:229', 'Curtains, Pair:75']),
  ('Garden', 'Tools', ['Pruning Shears:32', 'Garden Hose 25 m:44', 'Watering Can:24', 'Cordless Trimmer:139']),
  ('Garden', 'Outdoor Living', ['Garden Chair:79', 'Parasol:119', 'Charcoal Grill:189', 'Fire Bowl:99']),
  ('Garden', 'Plants & Pots', ['Terracotta Pot:15', 'Raised Bed:85', 'Herb Seed Box:12']),
  ('Sports & Outdoor', 'Hiking', ['Daypack 25 l:79', 'Trekking Poles:65', 'Water Bottle 0.75 l:24', 'Head Torch:39']),
  ('Sports & Outdoor', 'Camping', ['Two-person Tent:199', 'Sleeping Bag:119', 'Camping Stove:54']),
  ('Sports & Outdoor', 'Cycling', ['Helmet:69', 'Pannier Bag:85', 'Bike Light Set:35', 'Floor Pump:42']),
  ('Sports & Outdoor', 'Fitness', ['Yoga Mat:39', 'Kettlebell 12 kg:49', 'Resistance Bands:19']),
  ('Electronics', 'Audio', ['Wireless Headphones:149', 'Bluetooth Speaker:89', 'Earbuds:99', 'Turntable:279']),
  ('Electronics', 'Smart Home', ['Smart Plug:25', 'Thermostat:119', 'Doorbell Camera:139', 'Air Monitor:99']),
  ('Electronics', 'Kitchen Appliances', ['Espresso Machine:399', 'Stand Mixer:329', 'Toaster:59', 'Kettle 1.7 l:54']),
  ('Electronics', 'Accessories', ['USB-C Charger 65 W:39', 'Power Bank:45', 'Charging Cable 2 m:15']),
  ('Toys & Games', 'Building', ['Wooden Blocks:34', 'Marble Run:49', 'Train Set:79']),
  ('Toys & Games', 'Games & Puzzles', ['Strategy Board Game:42', 'Card Game:13', 'Puzzle 1000 Pieces:17', 'Chess Set:48']),
  ('Toys & Games', 'Creative', ['Watercolour Set:22', 'Modelling Clay:14', 'Craft Box:27'])
) AS assortment (category, subcategory, articles);

CREATE TEMP TABLE articles AS
WITH variant AS (
  SELECT *, row_number() OVER (ORDER BY category, subcategory, article, maker) AS product_id
  FROM (SELECT category, subcategory, unnest(articles) AS article FROM ranges), range(1, 4) AS makers (maker)
  -- every article in two makes, the odd one in three
  WHERE maker < 3 OR chance(article, 'third make') < 0.3
), named AS (
  SELECT *,
         ['Norrvik', 'Casa Lume', 'Tarnholt', 'Hikari', 'Ferncliff', 'Økern', 'Maison Vérité', 'Brückner & Söhne', 'Pinewell', 'Solana', 'Třebíč', 'Kestrel'] AS brands,
         ['Alva', 'Bergen', 'Cala', 'Dune', 'Elba', 'Fjord', 'Gaia', 'Hana', 'Iris', 'Juno', 'Kaya', 'Lund', 'Mira', 'Nova', 'Onda', 'Pico', 'Runa', 'Sol', 'Tilo', 'Umi', 'Vela', 'Yuki'] AS series,
         split_part(article, ':', 2)::INTEGER * [1.0, 1.45, 0.7][maker] AS around
  FROM variant
)
SELECT product_id::INTEGER AS product_id, category, subcategory,
       split_part(article, ':', 1) || ' ' || series[1 + ((hash(article) + maker) % 22)::INTEGER] AS name,
       brands[1 + ((hash(subcategory) + maker * 5 + (hash(article) % 2) * 2) % 12)::INTEGER] AS brand,
       (floor(around * (0.9 + 0.25 * chance(product_id, 'price'))) + pick([0.90, 0.95, 0.99, 0.50], product_id, 'cents'))::DECIMAL(12,2) AS price,
       CASE WHEN chance(product_id, 'new') < 0.18
            THEN DATE '2022-03-01' + INTERVAL (floor(chance(product_id, 'launch') * 36)::INTEGER) MONTH
            ELSE DATE '2016-01-01' + INTERVAL (floor(chance(product_id, 'launch') * 70)::INTEGER) MONTH END::DATE AS launched,
       -- most sell a little, a few sell far more
       (60 + 1400 * chance(product_id, 'appeal') ** 7) AS appeal,
       4.0 + 1.1 * chance(product_id, 'quality') ** 0.8 AS quality
FROM named;

INSERT INTO products
SELECT product_id, prefix || '-' || lpad((1000 + product_id * 7)::VARCHAR, 5, '0'), name, category, subcategory, brand, price,
       (price * (cost_share + 0.08 * (chance(product_id, 'cost') - 0.5)))::DECIMAL(12,2), launched,
       CASE WHEN launched < DATE '2021-01-01' AND appeal < 150 AND chance(product_id, 'discontinued') < 0.1
            THEN last_day(DATE '2023-01-01' + INTERVAL (floor(chance(product_id, 'last month') * 30)::INTEGER) MONTH) END
FROM articles JOIN category_habits USING (category)
ORDER BY product_id;

-- For every month of the orders, each product has an interval of a number line, as long as its demand.
CREATE TEMP TABLE monthly_demand AS
WITH demand AS (
  SELECT month::DATE AS month, product_id,
         greatest(1, round(appeal * season[month(month)] * yearly_growth ** (date_diff('month', DATE '2022-01-01', month) / 12.0)
           * (30 / price::DOUBLE) ** 0.45 * (0.85 + 0.3 * chance(product_id * 100 + date_diff('month', DATE '2022-01-01', month), 'demand'))))::BIGINT AS weight
  FROM articles
  JOIN category_habits USING (category)
  JOIN (SELECT product_id, discontinued FROM products) USING (product_id),
  range(TIMESTAMP '2022-01-01', TIMESTAMP '2026-01-01', INTERVAL 1 MONTH) AS months (month)
  WHERE launched <= month AND (discontinued IS NULL OR discontinued > month)
)
SELECT month, product_id, sum(weight) OVER so_far - weight AS starts, sum(weight) OVER (PARTITION BY month) AS total
FROM demand
WINDOW so_far AS (PARTITION BY month ORDER BY product_id);
