// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What shiny things reflect: a dim room with a warm and a cool lamp, small enough that a CPU can blur it.
import {
  DataTexture,
  EquirectangularReflectionMapping,
  FloatType,
  PMREMGenerator,
  RGBAFormat,
  Vector3,
  type Texture,
  type WebGLRenderer,
} from "three";

const kLamps = [
  { towards: new Vector3(0.6, 0.7, 0.5).normalize(), color: [9, 8.2, 7], sharpness: 14 },
  { towards: new Vector3(-0.8, 0.35, -0.5).normalize(), color: [4, 5, 6.5], sharpness: 10 },
  { towards: new Vector3(0, 1, 0), color: [1.6, 1.7, 1.8], sharpness: 3 },
];

/** Light that comes from a direction. */
function radiance(direction: Vector3): [number, number, number] {
  const height = direction.y * 0.5 + 0.5;
  const base = 0.18 + 0.5 * height;
  const sum: [number, number, number] = [base * 0.98, base, base * 1.05];
  for (const { towards, color, sharpness } of kLamps) {
    const glow = Math.exp(sharpness * (direction.dot(towards) - 1));
    for (let k = 0; k < 3; ++k) sum[k]! += color[k]! * glow;
  }
  return sum;
}

export function makeEnvironment(renderer: WebGLRenderer): Texture {
  const [width, height] = [128, 64];
  const data = new Float32Array(width * height * 4);
  const direction = new Vector3();
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const [azimuth, polar] = [((x + 0.5) / width) * 2 * Math.PI - Math.PI, ((y + 0.5) / height - 0.5) * Math.PI];
      direction.set(Math.cos(polar) * Math.cos(azimuth), Math.sin(polar), Math.cos(polar) * Math.sin(azimuth));
      data.set([...radiance(direction), 1], (y * width + x) * 4);
    }
  }
  const picture = new DataTexture(data, width, height, RGBAFormat, FloatType, EquirectangularReflectionMapping);
  picture.needsUpdate = true;
  const generator = new PMREMGenerator(renderer);
  const { texture } = generator.fromEquirectangular(picture);
  generator.dispose();
  picture.dispose();
  return texture;
}
