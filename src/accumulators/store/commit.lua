#!lua
-- Applies one commit of one unit: all of it, or nothing. All keys carry the unit's hash tag.
--
-- KEYS  1            the unit's hash
--       2 .. 1+D     keys to delete
--       2+D .. 1+D+R keys to remove fields from
--       2+D+R ..     keys of the rows to set, those that last behind the others
-- ARGV  1  token     of the claim under which the caller owns the unit
--       2  before    number of the commit that this one builds on, digits
--       3  parent    id of that commit, '' for none
--       4  seq       number of this commit: before + 1, digits
--       5  cid       id of this commit
--       6  ttl       ms, digits: rows that do not last go when they are not written for so long; '' for never
--       7  D         number of keys to delete
--       8  C         number of the checkpoint's fields
--       9  L         number of row keys that last
--       10 R         number of keys to remove fields from
--       11 ..        C times field, value; then for each key to remove fields from their number n, and n fields; then for
--                    each row key the number n of its fields, behind a + if an earlier commit has written the key, and
--                    n times field, value
--
-- Answers OK        applied
--         ALREADY   this very commit had been applied
--         FENCED    another claim owns the unit
--         CONFLICT  the unit is not at the commit that this one builds on, or a key that it has written is gone or
--                   has lost rows
-- or an error, and then nothing was written: BADCOMMIT, WRONGTYPE, NOPERM, or what the server refuses scripts with.
--
-- The field # of a key of rows is the number of its other fields, where the generation in the key ends with c.
--
-- A script that fails midway keeps its earlier writes. So everything is checked before the first write, and the line
-- at the top makes a server that is out of memory or a replica refuse the script before it begins. Digits are
-- compared as text: numbers of Lua lose digits.

-- unpack() fails from 8,000 values on.
local SLICE = 4000

local unit = KEYS[1]
local token, before, parent, seq, cid, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local function digits(text)
  return text ~= nil and string.find(text, '^%d+$') ~= nil
end

local function kind(key)
  return redis.call('TYPE', key).ok
end

local function is_counted(key)
  return string.find(key, '}:%d+c:') ~= nil
end

local function may(...)
  return redis.acl_check_cmd(...)
end

-- A command that is refused would end the script without a word on which it was.
for _, asked in ipairs({ { 'TYPE', unit }, { 'HMGET', unit, 'seq' } }) do
  if not may(unpack(asked)) then
    return redis.error_reply('NOPERM ' .. asked[1] .. ' on the unit is not allowed')
  end
end

-- The guard.
if kind(unit) == 'none' then
  return 'CONFLICT'
elseif kind(unit) ~= 'hash' then
  return redis.error_reply('WRONGTYPE ' .. unit .. ' holds a ' .. kind(unit) .. ', not a unit')
end
local stored = redis.call('HMGET', unit, 'token', 'seq', 'cid')
local stored_seq, stored_cid = stored[2] or '0', stored[3] or ''
if (stored[1] or '') ~= token then
  return 'FENCED'
elseif stored_seq == seq and stored_cid == cid then
  return 'ALREADY'
elseif stored_seq ~= before or stored_cid ~= parent then
  return 'CONFLICT'
end

-- Is all of it there, of the right form, and allowed?
if not (digits(before) and digits(seq) and digits(ARGV[7]) and digits(ARGV[8]) and digits(ARGV[9]) and digits(ARGV[10]) and (ttl == '' or digits(ttl))) then
  return redis.error_reply('BADCOMMIT a number is not made of digits')
end
local first_removal = 2 + tonumber(ARGV[7])
local first_row = first_removal + tonumber(ARGV[10])
local checkpoint_end = 10 + 2 * tonumber(ARGV[8])
local first_lasting = #KEYS + 1 - tonumber(ARGV[9])
if first_row > #KEYS + 1 or first_lasting < first_row then
  return redis.error_reply('BADCOMMIT there are fewer keys than it says')
end
if not may('HSET', unit, 'seq', seq) then
  return redis.error_reply('NOPERM HSET on the unit is not allowed')
end
for i = 2, first_removal - 1 do
  if not may('UNLINK', KEYS[i]) then
    return redis.error_reply('NOPERM UNLINK on the unit\'s rows is not allowed')
  end
end
local ends = {}
local is_gone = false
local at = checkpoint_end + 1
for i = first_removal, #KEYS do
  local key = KEYS[i]
  local found = kind(key)
  if found ~= 'hash' and found ~= 'none' then
    return redis.error_reply('WRONGTYPE ' .. key .. ' holds a ' .. found .. ', not rows')
  end
  if i < first_row then
    if not may('HDEL', key, 'f') then
      return redis.error_reply('NOPERM HDEL on the unit\'s rows is not allowed')
    end
  elseif not may('HSET', key, 'f', 'v') then
    return redis.error_reply('NOPERM HSET on the unit\'s rows is not allowed')
  elseif not (ttl == '' or may('PEXPIRE', key, ttl)) then
    return redis.error_reply('NOPERM PEXPIRE on the unit\'s rows is not allowed')
  end
  if is_counted(key) and not may('HLEN', key) then
    return redis.error_reply('NOPERM HLEN on the unit\'s rows is not allowed')
  end
  local count = ARGV[at] or ''
  if i >= first_row and string.sub(count, 1, 1) == '+' then
    count = string.sub(count, 2)
    is_gone = is_gone or found == 'none' or is_counted(key) and redis.call('HMGET', key, '#')[1] ~= tostring(redis.call('HLEN', key) - 1)
  end
  if not digits(count) or count == '0' then
    return redis.error_reply('BADCOMMIT a row key without fields')
  end
  ends[i] = at + (i < first_row and 1 or 2) * tonumber(count)
  at = ends[i] + 1
end
if at ~= #ARGV + 1 then
  return redis.error_reply('BADCOMMIT there are more or fewer fields than it says')
end

if is_gone then
  return 'CONFLICT'
end

-- From here on nothing can be refused.
-- Returns how many fields the command added to the hash, or removed from it.
local function slices(command, key, from, to)
  local changed = 0
  for start = from, to, SLICE do
    changed = changed + redis.call(command, key, unpack(ARGV, start, math.min(start + SLICE - 1, to)))
  end
  return changed
end

local function count(key, added)
  if added == 0 or not is_counted(key) then
    return
  end
  local fields = tonumber(redis.call('HMGET', key, '#')[1] or '0') + added
  if fields > 0 then
    redis.call('HSET', key, '#', tostring(fields))
  else
    redis.call('HDEL', key, '#')
  end
end

-- Changes nothing: a server that would refuse to grow refuses here.
redis.call('HSET', unit, 'token', token)
for i = 2, first_removal - 1 do
  redis.call('UNLINK', KEYS[i])
end
local from = checkpoint_end + 2
for i = first_removal, first_row - 1 do
  count(KEYS[i], -slices('HDEL', KEYS[i], from, ends[i]))
  from = ends[i] + 2
end
for i = first_row, #KEYS do
  count(KEYS[i], slices('HSET', KEYS[i], from, ends[i]))
  if ttl ~= '' and i < first_lasting then
    redis.call('PEXPIRE', KEYS[i], ttl)
  end
  from = ends[i] + 2
end
slices('HSET', unit, 11, checkpoint_end)
redis.call('HSET', unit, 'seq', seq, 'cid', cid)
return 'OK'
